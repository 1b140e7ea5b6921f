using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Sluice.Files;
using Sluice.Kernel;

namespace Sluice;

// Many small files at once.
public static partial class SluiceFile
{
    private const int MaxGroups = Tuning.FileBatchMaxGroups;

    /// <summary>
    /// Reads whole files, in the order of the paths. Groups of them are read ahead of the caller; files above 256 KiB are read alone
    /// when their turn comes, so that no more than 16 MiB for each of <see cref="FileBatchOptions.MaxDegreeOfParallelism"/> wait.
    /// </summary>
    /// <param name="paths">
    /// The files; taken as the caller goes on, up to 64 for each of <see cref="FileBatchOptions.MaxDegreeOfParallelism"/> ahead. What
    /// the sequence throws comes in its place, after the files before it.
    /// </param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the enumeration between files.</param>
    /// <returns>
    /// One result for each path. The first path that fails throws what <see cref="File.ReadAllBytes"/> throws for it; with
    /// <see cref="FileBatchOptions.ContinueOnError"/> it has a result with its own error, and the rest goes on. A FIFO or socket fails,
    /// and so does a device that has nothing to give at once: a batch does not wait for another end.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="paths"/> is null.</exception>
    public static IAsyncEnumerable<FileReadResult> ReadManyAsync(
        IEnumerable<string> paths, FileBatchOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(paths);
        return ReadGroupsAsync(paths, options ?? new FileBatchOptions(), cancellationToken);
    }

    /// <summary>
    /// Writes whole files: each is made, or emptied and filled, as <see cref="File.WriteAllBytes(string, byte[])"/> does. A FIFO or
    /// socket fails, and so does a device that takes nothing at once: a batch does not wait for another end.
    /// </summary>
    /// <param name="files">
    /// Paths and contents; taken ahead of what is being written, 32 at a time. The memory belongs to the call until it has ended. Of two
    /// entries with the same path the later one is written last. What the sequence throws is thrown when the files before it are written.
    /// </param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the batch between files.</param>
    /// <exception cref="ArgumentNullException"><paramref name="files"/> is null.</exception>
    /// <exception cref="FileBatchException">
    /// Files could not be written: each with its own error, and how many were. It is thrown in the place of what <paramref name="files"/>
    /// threw, and of the cancellation, where these have come too.
    /// </exception>
    /// <exception cref="OperationCanceledException">The batch was cancelled; some files have been written.</exception>
    public static Task WriteManyAsync(
        IEnumerable<(string Path, ReadOnlyMemory<byte> Bytes)> files,
        FileBatchOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(files);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : WriteGroupsAsync(files, options ?? new FileBatchOptions(), cancellationToken);
    }

    private static async IAsyncEnumerable<FileReadResult> ReadGroupsAsync(
        IEnumerable<string> paths, FileBatchOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        using GroupedSequence<string> groups = new(paths, SmallFileReader.MaxFiles);
        FileBatchReader reader = new(Math.Min(options.MaxDegreeOfParallelism, MaxGroups));
        try
        {
            while (true)
            {
                while (reader.HasRoom && groups.Next() is { } group)
                {
                    reader.Begin(group);
                }

                if (!reader.TryTakeNext(out Task<SmallFile[]>? next))
                {
                    break;
                }

                SmallFile[] files = await next.ConfigureAwait(false);
                for (int i = 0; i < files.Length; i++)
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    FileReadResult result = files[i].State == SmallFileState.Large
                        ? await ReadAloneAsync(files[i].Path, cancellationToken).ConfigureAwait(false)
                        : new FileReadResult(files[i].Path, files[i].Content, files[i].Error);
                    files[i] = default;
                    if (result.Error is not null && !options.ContinueOnError)
                    {
                        ExceptionDispatchInfo.Throw(result.Error);
                    }

                    yield return result;
                }
            }

            groups.ThrowIfFailed();
        }
        finally
        {
            await reader.LeaveAsync().ConfigureAwait(false);
        }
    }

    private static async ValueTask<FileReadResult> ReadAloneAsync(string path, CancellationToken cancellationToken)
    {
        try
        {
            Task<byte[]> read =
                Libc.IsSupported ? LoneFile.ReadAsync(path, cancellationToken) : ReadAllBytesAsync(path, cancellationToken);
            return new FileReadResult(path, await read.ConfigureAwait(false), null);
        }
#pragma warning disable CA1031 // Whatever it is, it is this file's result.
        catch (Exception e) when (!cancellationToken.IsCancellationRequested)
        {
            return new FileReadResult(path, null, e);
        }
#pragma warning restore CA1031
    }

    private static async Task WriteGroupsAsync(
        IEnumerable<(string Path, ReadOnlyMemory<byte> Bytes)> files, FileBatchOptions options, CancellationToken cancellationToken)
    {
        FileBatchWriter writer = new(
            options.ContinueOnError, OperatingSystem.IsWindows() ? null : options.UnixCreateMode, cancellationToken);
        using GroupedSequence<(string Path, ReadOnlyMemory<byte> Bytes)> groups = new(files, SmallFileReader.MaxFiles);
        Queue<(Task Task, (string Path, ReadOnlyMemory<byte> Bytes)[] Group)> ahead = new();
        HashSet<string?> underWay = new(StringComparer.Ordinal);
        int degree = Math.Min(options.MaxDegreeOfParallelism, MaxGroups);
        Task?[] lanes = new Task?[degree];
        int lane = 0;
        try
        {
            // As many at once as were asked for, and as many more that come next: whoever is done finds work begun.
            while (!writer.IsOver && groups.Next() is { } group)
            {
                // Of two entries of one path the later one waits for the first, or their bytes might be mixed.
                bool isAgain = Array.Exists(group, file => underWay.Contains(file.Path));
                while (ahead.Count == 2 * degree || (isAgain && ahead.Count > 0))
                {
                    (Task done, (string Path, ReadOnlyMemory<byte> Bytes)[] before) = ahead.Dequeue();
                    await done.ConfigureAwait(false);
                    Array.ForEach(before, file => underWay.Remove(file.Path));
                }

                Array.ForEach(group, file => underWay.Add(file.Path));
                Task written = lanes[lane] is { } last
                    ? last.ContinueWith((_, next) => writer.Write(((string, ReadOnlyMemory<byte>)[])next!), group, TaskScheduler.Default)
                    : Task.Run(() => writer.Write(group), CancellationToken.None);
                ahead.Enqueue((lanes[lane] = written, group));
                lane = (lane + 1) % degree;
            }
        }
        finally
        {
            await Task.WhenAll(ahead.Select(static a => a.Task)).ConfigureAwait(false);
        }

        writer.ThrowIfFailed();
        cancellationToken.ThrowIfCancellationRequested();
        groups.ThrowIfFailed();
    }
}
