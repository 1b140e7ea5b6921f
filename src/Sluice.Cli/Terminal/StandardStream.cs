using Microsoft.Win32.SafeHandles;
using Sluice.Diagnostics;

namespace Sluice.Cli.Terminal;

/// <summary>A stream to stdout or stderr, which keeps the first error and then discards all bytes.</summary>
/// <param name="inner">The destination; null if it was closed when the process began.</param>
internal sealed class StandardStream(Stream? inner) : Stream
{
    private const int Descriptor = 1;
    private const int BytesGathered = 64 * 1024;

    // The HResult of .NET for EPIPE.
    private const int BrokenPipe = 32;

    private Stream? _inner = inner;
    private bool _hasNoReader;

    /// <summary>The first error; null if there was none. A pipe without a reader is no error.</summary>
    public string? Failure { get; private set; }

    /// <summary>Returns true if writes fail, or if the stream is a pipe that is known to have no reader any more.</summary>
    public bool IsClosed => _hasNoReader || Failure is not null;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

    /// <summary>
    /// Returns stdout with a buffer, for <c>log</c>. The console's stream does not report that a pipe has no reader, and `log tail -f`
    /// would never end, so a pipe is written by its descriptor from now on.
    /// </summary>
    public Stream ForBytes()
    {
        // The console's stream is used for files, because it writes at the current position, which other processes may change.
        if (_inner is not null && !OperatingSystem.IsWindows()
            && new FileStream(new SafeFileHandle(Descriptor, ownsHandle: false), FileAccess.Write, bufferSize: 0) is { CanSeek: false } pipe)
        {
            _inner = pipe;
        }
        return new BufferedStream(this, BytesGathered);
    }

    /// <summary>Checks whether stdout still has a reader, which otherwise only a write would report.</summary>
    public void LookForReader() => _hasNoReader |= _inner is not null && StandardDescriptor.HasNoReader(Descriptor);

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (buffer.IsEmpty || IsClosed)
            return;
        try
        {
            if (_inner is null)
                Failure = "closed";
            else
                _inner.Write(buffer);
        }
        catch (IOException e) when (e.HResult == BrokenPipe)
        {
            _hasNoReader = true;
        }
        catch (Exception e) when (e is UnauthorizedAccessException or IOException)
        {
            // .NET has one message for several errors; the cause is the inner exception.
            string reason = e.InnerException?.Message ?? e.Message.Split(" : '")[0];
            Failure = reason.Length == 0 ? "cannot be written to" : ErrorText.LowerFirst(reason).TrimEnd('.');
        }
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}
