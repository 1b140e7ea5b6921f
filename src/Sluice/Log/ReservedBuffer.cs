using System.Buffers;

namespace Sluice.Log;

/// <summary>
/// The buffer that all copies of a <see cref="LogReservation"/> share. Each thread reuses its own objects, since a reservation does not
/// leave its thread; the memory comes from the shared pool.
/// </summary>
internal sealed class ReservedBuffer
{
    [ThreadStatic]
    private static ReservedBuffer? t_unused;

    private ReservedBuffer? _next;
    private byte[] _bytes = [];
    private int _size;

    /// <summary>The number of reservations that have ended, which distinguishes a reservation from later ones of the same buffer.</summary>
    public long Use { get; private set; }

    public Span<byte> Bytes => _bytes.AsSpan(0, _size);

    /// <summary>Returns a buffer of zeros.</summary>
    public static ReservedBuffer Rent(int size)
    {
        ReservedBuffer buffer = t_unused ?? new ReservedBuffer();
        (t_unused, buffer._next) = (buffer._next, null);
        (buffer._bytes, buffer._size) = (ArrayPool<byte>.Shared.Rent(size), size);
        buffer.Bytes.Clear();
        return buffer;
    }

    /// <summary>Ends a reservation; returns false if it has ended before. The bytes stay until <see cref="Return"/>.</summary>
    public bool TryEnd(long use)
    {
        if (Use != use)
        {
            return false;
        }

        Use++;
        return true;
    }

    public void Return()
    {
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = [];
        (_next, t_unused) = (t_unused, this);
    }
}
