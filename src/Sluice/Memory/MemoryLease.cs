using System.Runtime.InteropServices;

namespace Sluice.Memory;

/// <summary>
/// One use of a buffer of <see cref="AlignedBufferPool"/>, from renting it to giving it back: whoever holds the lease owns the memory.
/// Copies of a lease are the same lease. The empty lease, <c>default</c>, owns nothing.
/// </summary>
/// <remarks>
/// Each use of a buffer has its own number. A lease that was ended is stale: ending it again changes nothing, whoever has the memory by
/// then; in Debug builds it throws, and so does asking a stale lease for its memory. Ending a lease is thread-safe: of two calls one has an
/// effect.
/// </remarks>
[StructLayout(LayoutKind.Auto)]
internal readonly struct MemoryLease
{
    private readonly AlignedBuffer? _buffer;
    private readonly int _use;

    /// <summary>A new use of a buffer that nobody else has.</summary>
    public MemoryLease(AlignedBuffer buffer)
    {
        _buffer = buffer;
        _use = buffer.Use;
    }

    /// <summary>Whether this is the empty lease.</summary>
    public bool IsEmpty => _buffer is null;

    /// <summary>The array; only <see cref="Length"/> bytes from <see cref="Start"/> on are this lease's.</summary>
    public byte[] Array => Buffer.Array;

    /// <summary>Index of the first byte, at a page's border.</summary>
    public int Start => Buffer.Start;

    /// <summary>Bytes of the memory; 0 for the empty lease.</summary>
    public int Length => _buffer is null ? 0 : Buffer.Length;

    /// <summary>Where the first byte lies; fixed.</summary>
    public nint Address => Buffer.Address;

    public Span<byte> Span => Buffer.Span;

    public Memory<byte> Memory => Buffer.Memory;

    private AlignedBuffer Buffer
    {
        get
        {
#if DEBUG
            if (_buffer!.Use != _use)
            {
                throw new InvalidOperationException("This memory was given back.");
            }
#endif
            return _buffer!;
        }
    }

    /// <summary>Bytes from <paramref name="index"/> of the array on; pinning them again costs nothing.</summary>
    public Memory<byte> MemoryAt(int index, int length) => Buffer.MemoryAt(index, length);

    /// <summary>Gives the memory back. Nobody may use it any more, the kernel included. Nothing happens with the empty lease.</summary>
    public void Return()
    {
        if (TryEnd())
        {
            AlignedBufferPool.Keep(_buffer!);
        }
    }

    /// <summary>
    /// Ends the lease of memory that somebody may use for an unknown time: nobody else is given it, and the collector frees it when the
    /// last reference to it is gone.
    /// </summary>
    public void LeaveToCollector()
    {
        if (TryEnd())
        {
            AlignedBufferPool.Drop(_buffer!.Length);
        }
    }

    private bool TryEnd()
    {
        if (_buffer is null)
        {
            return false;
        }

        if (_buffer.TryEndUse(_use))
        {
            return true;
        }

        AlignedBufferPool.CountSecondReturn();
        return false;
    }
}
