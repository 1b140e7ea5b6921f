namespace Sluice.Cli.Terminal;

/// <summary>
/// Keeps the first error of the inner stream, and then discards all bytes. Writing to a pipe without a reader throws an exception instead.
/// </summary>
/// <param name="inner">The destination; null if it was closed when the process began.</param>
internal sealed class TellingStream(Stream? inner) : Stream
{
    // The HResult of .NET for EPIPE.
    private const int BrokenPipe = 32;

    private string? _failure;

    /// <summary>Another stream to the same destination, with which this one shares its error.</summary>
    public TellingStream? Like { get; init; }

    public string? Failure => Like is { } other ? other.Failure : _failure;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

    public override void Flush()
    {
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (buffer.IsEmpty || Failure is not null)
            return;
        try
        {
            if (inner is null)
                Fail("closed");
            else
                inner.Write(buffer);
        }
        catch (Exception e) when (e is UnauthorizedAccessException or IOException { HResult: not BrokenPipe })
        {
            // .NET has one message for several errors; the cause is the inner exception.
            string reason = e.InnerException?.Message ?? e.Message.Split(" : '")[0];
            Fail(reason.Length == 0 ? "cannot be written to" : ErrorText.LowerFirst(reason).TrimEnd('.'));
        }
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    private void Fail(string why)
    {
        if (Like is { } other)
            other.Fail(why);
        else
            _failure ??= why;
    }
}
