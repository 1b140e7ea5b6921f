using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Sluice.Sequential;

/// <summary>What records of one type have in common.</summary>
internal static class Records
{
    /// <summary>Whether records may be used where they lie, without a copy.</summary>
    public static bool IsAligned<T>(nint address)
        where T : unmanaged => address % (Unsafe.SizeOf<Padded<T>>() - Unsafe.SizeOf<T>()) == 0;

    [DoesNotReturn]
    public static void ThrowCut<T>(string path, long offset, int rest)
        where T : unmanaged =>
        throw new InvalidDataException(
            $"'{path}' ends at offset {offset + rest}, {rest} bytes into a record of {Unsafe.SizeOf<T>()} bytes ({typeof(T).Name}): its "
                + "length is no multiple.");

    /// <summary>A byte in front moves the record to its alignment.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private struct Padded<T>
        where T : unmanaged
    {
        public byte Before;
        public T Record;
    }
}

/// <summary>Bytes seen as records, without a copy; valid as long as the bytes are.</summary>
internal sealed class RecordMemory<T>(Memory<byte> bytes) : MemoryManager<T>
    where T : unmanaged
{
    public override Span<T> GetSpan() => MemoryMarshal.Cast<byte, T>(bytes.Span);

    public override MemoryHandle Pin(int elementIndex = 0) => bytes[(elementIndex * Unsafe.SizeOf<T>())..].Pin();

    public override void Unpin()
    {
        // The handle that Pin gave unpins the bytes by itself.
    }

    protected override void Dispose(bool disposing)
    {
    }
}
