using System.Runtime.CompilerServices;
using Sluice.Sequential;

namespace Sluice;

/// <summary>Lines from the end, and lines still to come.</summary>
public sealed partial class SluiceReader
{
    /// <summary>
    /// The file's lines from its last to its first, as <see cref="ReadLines"/> gives them from its start; independent of
    /// <see cref="Position"/>, which stays. What is appended meanwhile is not seen. <see cref="SluiceReaderOptions.Progress"/> is told
    /// how far to the front the file has been read.
    /// </summary>
    /// <param name="cancellationToken">Looked at before each line.</param>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    public BackwardLineEnumerator ReadLinesBackward(CancellationToken cancellationToken = default) =>
        new(_handle, _progress, OwnOr(cancellationToken));

    /// <summary>
    /// The lines that are written to a log, for as long as nobody cancels. A line comes when its end has been written. When the name
    /// comes to stand for another file (rotation), the old one is read to its end first, a last line without an end included; when the
    /// file is cut, reading goes on at its start; while no file has the name, it waits.
    /// </summary>
    /// <param name="path">The file, which need not exist yet.</param>
    /// <param name="options">How to watch; null for new lines only.</param>
    /// <param name="cancellationToken">Ends the enumeration with an <see cref="OperationCanceledException"/>.</param>
    /// <returns>Lines whose memory stands until the next one is asked for.</returns>
    public static async IAsyncEnumerable<ReadOnlyMemory<byte>> FollowAsync(
        string path, SluiceFollowOptions? options = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        options ??= new SluiceFollowOptions();
        options.Check();
        bool fromStart = options.FromStart;
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            SluiceReader? reader = TryOpenToFollow(path, fromStart, options.Progress);
            if (reader is null)
            {
                // What comes into being later is new from its first byte.
                fromStart = true;
                await Task.Delay(options.PollInterval, cancellationToken).ConfigureAwait(false);
                continue;
            }

            await using (reader.ConfigureAwait(false))
            {
                fromStart = true;
                FileIdentity? identity = FileIdentity.Of(reader._handle);
                bool isReplaced = false;
                while (true)
                {
                    while (await reader.TryReadWholeLineAsync(cancellationToken).ConfigureAwait(false) is { } line)
                    {
                        yield return line;
                    }

                    if (isReplaced)
                    {
                        break;
                    }

                    bool isCut = reader._handle.Length < reader.Position;
                    isReplaced = !isCut && FileIdentity.Of(path) != identity;
                    if (isCut)
                    {
                        reader.Seek(0);
                    }
                    else if (!isReplaced)
                    {
                        await Task.Delay(options.PollInterval, cancellationToken).ConfigureAwait(false);
                    }
                }

                if (reader.TakeUnendedLine() is { } last)
                {
                    yield return last;
                }
            }
        }
    }

    private static SluiceReader? TryOpenToFollow(string path, bool fromStart, IProgress<long>? progress)
    {
        try
        {
            SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            return new SluiceReader(handle, new SluiceReaderOptions { Offset = fromStart ? 0 : handle.Length, Progress = progress });
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            return null;
        }
    }

    /// <summary>The next line that has its end; null when the file has no more at the moment, and what there is of it is kept.</summary>
    private async ValueTask<ReadOnlyMemory<byte>?> TryReadWholeLineAsync(CancellationToken cancellationToken)
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

    private ReadOnlyMemory<byte>? TakeUnendedLine() =>
        Carry.TryTakeLast(out ReadOnlySpan<byte> line) ? line.ToArray() : default(ReadOnlyMemory<byte>?);
}
