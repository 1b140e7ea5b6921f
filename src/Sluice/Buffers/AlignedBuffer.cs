using Sluice.Interop;

namespace Sluice.Buffers;

/// <summary>Native memory at a page's border. Owned by one operation at a time, between Rent and Return of the pool.</summary>
internal sealed class AlignedBuffer
{
    private readonly NativeBlock _block;

    public AlignedBuffer(int length)
    {
        _block = new NativeBlock(length);
        Length = length;
    }

    public int Length { get; }

    public nint Address => _block.Address;

    public Span<byte> Span => PinnedMemory.SpanOf(_block.Address, Length);

    /// <summary>The pool's list.</summary>
    public AlignedBuffer? Next { get; set; }
}
