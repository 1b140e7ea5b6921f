using System.Buffers.Binary;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Commands;

/// <summary>A record that proves itself whole: length, writer, number, and bytes that these make again.</summary>
internal static class RecordFormat
{
    public const int HeaderBytes = 12;

    public static byte[] Make(int writer, int number)
    {
        int body = (writer * 7919 + number * 1543) % 5000;
        byte[] record = new byte[HeaderBytes + body];
        BinaryPrimitives.WriteInt32LittleEndian(record, record.Length);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(4), writer);
        BinaryPrimitives.WriteInt32LittleEndian(record.AsSpan(8), number);
        Pattern.Bytes(writer * 1_000_003 + number, body).CopyTo(record.AsSpan(HeaderBytes));
        return record;
    }
}
