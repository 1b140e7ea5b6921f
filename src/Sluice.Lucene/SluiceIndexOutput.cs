using Lucene.Net.Store;
using Lucene.Net.Util;

namespace Sluice.Lucene;

/// <summary>Writes a new file. The base class has the buffer and computes the checksum.</summary>
/// <param name="file">The file, which this object owns.</param>
/// <param name="onClosed">Called when the output is disposed of, after its last write.</param>
internal sealed class SluiceIndexOutput(SluiceHandle file, Action onClosed) : BufferedIndexOutput
{
    /// <summary>The offset at which the content of the buffer begins.</summary>
    private long _offset;
    private long _writtenLength;
    private bool _isClosed;

    public override long Length
    {
        get
        {
            ThrowIfClosed();
            return Position > _offset ? Math.Max(_writtenLength, Position) : _writtenLength;
        }
    }

    public override void WriteByte(byte b)
    {
        ThrowIfClosed();
        base.WriteByte(b);
    }

    public override void WriteBytes(byte[] b, int offset, int length)
    {
        ThrowIfClosed();
        base.WriteBytes(b, offset, length);
    }

    public override void Flush()
    {
        ThrowIfClosed();
        base.Flush();
    }

    [Obsolete("(4.1) this method will be removed in Lucene 5.0")]
    public override void Seek(long pos)
    {
        ThrowIfClosed();
        base.Seek(pos);
        _offset = pos;
    }

    protected override void FlushBuffer(byte[] b, int offset, int len)
    {
        file.Write(b.AsSpan(offset, len), _offset);
        _offset += len;
        _writtenLength = Math.Max(_writtenLength, _offset);
    }

    protected override void Dispose(bool disposing)
    {
        if (!disposing || _isClosed)
        {
            return;
        }

        Exception? failure = null;
        try
        {
            base.Dispose(disposing);
        }
        catch (Exception e)
        {
            failure = e;
        }

        _isClosed = true;
        onClosed();
        IOUtils.DisposeWhileHandlingException(failure, file);
    }

    private void ThrowIfClosed() => ObjectDisposedException.ThrowIf(_isClosed, this);
}
