using Lucene.Net.Store;

namespace Sluice.Lucene;

/// <summary>Reads a file or a part of it, with a position and a buffer of its own.</summary>
internal sealed class SluiceIndexInput : BufferedIndexInput
{
    private readonly SluiceHandle _file;
    private readonly long _start;
    private readonly long _length;

    /// <summary>False for clones and slices: Lucene disposes the input that was opened, or the slicer.</summary>
    private bool _ownsFile;

    public SluiceIndexInput(string description, SluiceHandle file, long start, long length, int bufferSize, bool ownsFile)
        : base($"{nameof(SluiceIndexInput)}({description})", bufferSize) =>
        (_file, _start, _length, _ownsFile) = (file, start, length, ownsFile);

    public override long Length => _length;

    public override object Clone()
    {
        SluiceIndexInput clone = (SluiceIndexInput)base.Clone();
        clone._ownsFile = false;
        return clone;
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing && _ownsFile)
        {
            _file.Dispose();
        }
    }

    protected override void ReadInternal(byte[] b, int offset, int length)
    {
        // The base class does not check positions, and the bytes beyond the limits of this slice may belong to another one.
        long position = Position;
        if (position < 0 || position > _length - length || _file.Read(b.AsSpan(offset, length), _start + position) < length)
        {
            throw new EndOfStreamException($"Reading {length} bytes at offset {position} reached the end of {this}.");
        }
    }

    protected override void SeekInternal(long pos)
    {
        // There is nothing to do, because each read specifies its offset.
    }
}
