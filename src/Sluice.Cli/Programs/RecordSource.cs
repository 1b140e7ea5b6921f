using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace Sluice.Cli.Programs;

/// <summary>
/// Records in the ASCII layout of the sort benchmark (sortbenchmark.org, gensort): a key of 10 printable characters, 2 blanks, the record's
/// number as 32 hexadecimal digits, 2 blanks, 52 characters of filler, CR LF. Key and filler are derived from the number alone.
/// </summary>
internal sealed class RecordSource(long count, CancellationToken cancellationToken)
{
    public const int RecordBytes = 100;

    private const int KeyBytes = 10;
    private const int NumberOffset = 12;
    private const int NumberDigits = 32;
    private const int FillerOffset = 46;
    private const int FillerGroups = 13;
    private const int LineEndBytes = 2;

    // gensort's keys are any of the 95 printable ASCII characters.
    private const byte FirstPrintable = (byte)' ';
    private const uint PrintableCount = 95;

    private static readonly uint[] FourDigits = [.. "0123456789ABCDEF".Select(digit => digit * 0x01010101u)];

    private readonly byte[] _record = Template();
    private readonly char[] _line = new char[RecordBytes - LineEndBytes];
    private long _next;
    private int _unread;

    public long Count => count;

    /// <summary>Gets the next record, including CR LF. It is valid until the next call.</summary>
    public bool TryNext(out ReadOnlySpan<byte> record)
    {
        bool any = TryMake();
        record = any ? _record : default(ReadOnlySpan<byte>);
        return any;
    }

    /// <summary>Gets the next record as text, without its line end. It is valid until the next call.</summary>
    public bool TryNextLine(out ReadOnlyMemory<char> line)
    {
        bool any = TryMake();
        if (any)
            Encoding.Latin1.GetChars(_record.AsSpan(0, _line.Length), _line);
        line = any ? _line : default(ReadOnlyMemory<char>);
        return any;
    }

    /// <summary>Copies the next bytes until the buffer is full or the records end, regardless of the limits of records.</summary>
    /// <returns>The number of bytes; 0 after the last record.</returns>
    public int Fill(Span<byte> room)
    {
        int filled = 0;
        while (filled < room.Length && (_unread > 0 || TryMake()))
        {
            if (_unread == 0)
                _unread = RecordBytes;
            int bytes = Math.Min(_unread, room.Length - filled);
            _record.AsSpan(RecordBytes - _unread, bytes).CopyTo(room[filled..]);
            _unread -= bytes;
            filled += bytes;
        }
        return filled;
    }

    private static byte[] Template()
    {
        byte[] record = new byte[RecordBytes];
        record.AsSpan().Fill((byte)' ');
        record[^2] = (byte)'\r';
        record[^1] = (byte)'\n';
        return record;
    }

    // SplitMix64 (Steele, Lea, Flood 2014) maps successive numbers to independent values.
    private static ulong Mix(ulong number)
    {
        ulong mixed = (number + 1) * 0x9E3779B97F4A7C15;
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
        return mixed ^ mixed >> 31;
    }

    private bool TryMake()
    {
        if (_next == count)
            return false;
        cancellationToken.ThrowIfCancellationRequested();
        ulong number = (ulong)_next++;
        ulong random = Mix(number);
        ulong fraction = random;
        for (int i = 0; i < KeyBytes; i++)
        {
            // The next digit of the random fraction to the base 95.
            ulong digit = Math.BigMul(fraction, PrintableCount, out fraction);
            _record[i] = (byte)(FirstPrintable + digit);
        }
        number.TryFormat(_record.AsSpan(NumberOffset, NumberDigits), out _, "X32", CultureInfo.InvariantCulture);
        for (int i = 0; i < FillerGroups; i++)
            MemoryMarshal.Write(_record.AsSpan(FillerOffset + sizeof(uint) * i), FourDigits[(int)(random >> 4 * i) & 15]);
        return true;
    }
}
