using System.Runtime.CompilerServices;
using Sluice.Sequential;

namespace Sluice;

// Lines from the end, and lines still to come.
public sealed partial class SluiceReader
{
    /// <summary>Enumerates the lines of the file from the last to the first.</summary>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. It is checked before each line.</param>
    /// <returns>The lines of the file in reverse order, as bytes without their line endings.</returns>
    /// <remarks>
    /// For the definition of a line, see <see cref="EnumerateLines"/>. The enumeration does not include data that is appended after it has
    /// begun. It neither uses nor changes <see cref="Position"/>. <see cref="SluiceReaderOptions.Progress"/> receives the offset of the
    /// earliest byte that was read.
    /// </remarks>
    public BackwardLineEnumerable EnumerateLinesBackward(CancellationToken cancellationToken = default) => new(this, cancellationToken);

    /// <summary>Follows a log file and returns its lines as they are written, until the enumeration is canceled.</summary>
    /// <param name="path">The path of the file. The file need not exist yet.</param>
    /// <param name="options">
    /// The options, or <see langword="null"/> for the defaults. By default, only lines that are written after the enumeration has begun are
    /// returned.
    /// </param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. Cancel it to end the enumeration.</param>
    /// <returns>The lines as bytes, without their line endings. The memory of each line belongs to the caller.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><see cref="SluiceFollowOptions.PollInterval"/> is negative.</exception>
    /// <exception cref="UnauthorizedAccessException">The first file with this name cannot be opened for reading.</exception>
    /// <exception cref="IOException">The first file with this name is not a regular file, or an I/O error occurred.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// <para>A line is returned once its line ending has been written.</para>
    /// <para>If the file is replaced by a new file with the same path (log rotation), the rest of the old file is read first. This includes
    /// a last line without a line ending and lines that are written within one more poll interval.</para>
    /// <para>If the file is truncated, an incomplete last line that was already read is returned, and reading continues at the start of the
    /// file. If the file is missing or a new file cannot be opened, the enumeration waits and reports no error.</para>
    /// <para>The arguments are checked when the first line is requested. The method is thread-safe.</para>
    /// </remarks>
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
