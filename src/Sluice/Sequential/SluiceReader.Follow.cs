using System.Runtime.CompilerServices;
using Sluice.Sequential;

namespace Sluice;

// Lines from the end, and lines still to come.
public sealed partial class SluiceReader
{
    /// <summary>
    /// The file's lines from its last to its first, as <see cref="EnumerateLines"/> gives them from its start; independent of
    /// <see cref="Position"/>, which stays. What is appended meanwhile is not seen. <see cref="SluiceReaderOptions.Progress"/> is told
    /// how far to the front the file has been read.
    /// </summary>
    /// <param name="cancellationToken">Looked at before each line.</param>
    public BackwardLineEnumerable EnumerateLinesBackward(CancellationToken cancellationToken = default) => new(this, cancellationToken);

    /// <summary>
    /// The lines that are written to a log, for as long as nobody cancels. A line comes when its end has been written. When the name comes
    /// to stand for another file (rotation), the old one is read until the new one could be opened and one interval longer, a last line
    /// without an end included; when the file is cut, what it had of a line comes, and reading goes on at its start. While no file has the
    /// name, it waits; the same where a later file cannot be opened, of which it says nothing. Arguments are looked at when the first line
    /// is asked for.
    /// </summary>
    /// <param name="path">The file, which need not exist yet.</param>
    /// <param name="options">How to watch; null for new lines only.</param>
    /// <param name="cancellationToken">Ends the enumeration with an <see cref="OperationCanceledException"/>.</param>
    /// <returns>Lines without their ends; their memory is the caller's.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><see cref="SluiceFollowOptions.PollInterval"/> is negative.</exception>
    /// <exception cref="UnauthorizedAccessException">The first file may not be read.</exception>
    /// <exception cref="IOException">The first that has the name is no plain file, or the operating system reported an error.</exception>
    public static async IAsyncEnumerable<ReadOnlyMemory<byte>> FollowAsync(
        string path, SluiceFollowOptions? options = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        options ??= new SluiceFollowOptions();
        options.Check();
        using LineFollower follower = new(path, options);
        await foreach (ReadOnlyMemory<byte> line in follower.RunAsync(cancellationToken).ConfigureAwait(false))
        {
            yield return line;
        }
    }

    /// <summary>The next line that has its end; null when the file has no more at the moment, and what there is of it is kept.</summary>
    internal async ValueTask<ReadOnlyMemory<byte>?> TryReadWholeLineAsync(CancellationToken cancellationToken)
    {
        do
        {
            if (TryTakeLine(out ReadOnlySpan<byte> line))
            {
                return line.ToArray();
            }
        }
        while (await NextBlockAsync(cancellationToken).ConfigureAwait(false));
        return null;
    }

    /// <summary>What there is of a line that has no end.</summary>
    internal ReadOnlyMemory<byte>? TakeUnendedLine() =>
        TryTakeLastLine(out ReadOnlySpan<byte> line) ? line.ToArray() : default(ReadOnlyMemory<byte>?);
}
