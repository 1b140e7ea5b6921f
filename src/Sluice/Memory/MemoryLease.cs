using System.Runtime.InteropServices;

namespace Sluice.Memory;

/// <summary>
/// One use of a buffer of the <see cref="AlignedBufferPool"/>, from renting to returning it. The holder of the lease owns the memory.
/// Copies represent the same lease. The empty lease, <c>default</c>, owns nothing.
/// </summary>
/// <remarks>
/// Each use of a buffer has its own number. Ending a lease that has already ended has no effect, even if the buffer has a new user. In
/// Debug builds, this throws an exception, as does requesting the memory of an ended lease. Ending a lease is thread-safe: only one call
/// has an effect.
/// </remarks>
[StructLayout(LayoutKind.Auto)]
internal readonly struct MemoryLease
{
    private readonly AlignedBuffer? _buffer;
    private readonly int _use;

    /// <summary>Starts a new use of a buffer that has no user.</summary>
    public MemoryLease(AlignedBuffer buffer)
    {
        _buffer = buffer;
        _use = buffer.Use;
    }

    /// <summary>Gets a value that indicates whether this is the empty lease.</summary>
    public bool IsEmpty => _buffer is null;

    /// <summary>Gets the array. Only <see cref="Length"/> bytes from <see cref="Start"/> on belong to this lease.</summary>
    public byte[] Array => Buffer.Array;

    /// <summary>Gets the index of the first byte, which is page-aligned.</summary>
    public int Start => Buffer.Start;

    /// <summary>Gets the length of the memory in bytes; 0 for the empty lease.</summary>
    public int Length => _buffer is null ? 0 : Buffer.Length;

    /// <summary>Gets the address of the first byte. It does not change.</summary>
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
                throw new InvalidOperationException("This memory has been returned.");
            }
#endif
            return _buffer!;
        }
    }

    /// <summary>
    /// Returns <paramref name="length"/> bytes from <paramref name="index"/> of the array on. The memory is already pinned, so pinning it
    /// again is cheap.
    /// </summary>
    public Memory<byte> MemoryAt(int index, int length) => Buffer.MemoryAt(index, length);

    /// <summary>
    /// Returns the memory to the pool. No code, and no operation of the kernel, may use it any more. The empty lease is ignored.
    /// </summary>
    public void Return()
    {
        if (TryEnd())
        {
            AlignedBufferPool.Keep(_buffer!);
        }
    }

    /// <summary>
    /// Ends the lease without returning the memory to the pool, because other code may use the memory for an unknown time. The garbage
    /// collector frees it.
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
