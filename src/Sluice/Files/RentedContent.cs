using System.Buffers;
using Sluice.Memory;

namespace Sluice.Files;

/// <summary>Bytes in an array of the shared pool. The array is returned to the pool when this object is disposed.</summary>
/// <param name="length">The initial number of bytes.</param>
/// <param name="path">The path of the file, for messages.</param>
internal sealed class RentedContent(int length, string path) : IDisposable
{
    public byte[] Array { get; private set; } = Rent(length);

    /// <summary>Gets or sets the number of bytes of content.</summary>
    public int Length { get; set; } = length;

    public ReadOnlySpan<byte> Span => Array.AsSpan(0, Length);

    /// <summary>
    /// Returns the memory after the first <paramref name="used"/> bytes. If there is none, these bytes are first copied to a larger array.
    /// </summary>
    public Memory<byte> RoomAfter(int used)
    {
        if (used == Array.Length)
        {
            Grow(used, used == System.Array.MaxLength ? throw WholeFile.TooLong(path) : (int)Math.Min((long)used * 2, System.Array.MaxLength));
        }

        return Array.AsMemory(used);
    }

    /// <summary>Copies the first <paramref name="used"/> bytes to an array of at least <paramref name="length"/> bytes.</summary>
    public void Grow(int used, int length)
    {
        byte[] larger = Rent(length);
        Array.AsSpan(0, used).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(Array);
        Array = larger;
    }

    private static byte[] Rent(int length)
    {
        byte[] array = ArrayPool<byte>.Shared.Rent(length);
        HugePages.Advise(array.AsSpan(0, length));
        return array;
    }

    public void Dispose()
    {
        if (Array.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(Array);
            Array = [];
        }
    }
}
