namespace Sluice.Cli.Terminal;

/// <summary>
/// Keeps the first error of the inner stream, and then discards all bytes. Writing to a pipe without a reader throws an exception instead.
/// </summary>
/// <param name="inner">The destination; null if it was closed when the process began.</param>
internal sealed class TellingStream(Stream? inner) : WriteOnlyStream
{
    // The HResult of .NET for EPIPE.
    private const int BrokenPipe = 32;

    private string? _failure;

    /// <summary>Another stream to the same destination, with which this one shares its error.</summary>
    public TellingStream? Like { get; init; }

    public string? Failure => Like is { } other ? other.Failure : _failure;

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

    private void Fail(string why)
    {
        if (Like is { } other)
            other.Fail(why);
        else
            _failure ??= why;
    }
}
