using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Sluice.Files;
using Sluice.Kernel;

namespace Sluice;

// Many small files at once.
public static partial class SluiceFile
{
    private const int MaxGroups = Tuning.FileBatchMaxGroups;

    /// <summary>Asynchronously reads many small files and returns their contents in the order of their paths.</summary>
    /// <param name="paths">The paths of the files. The sequence is enumerated ahead of the results.</param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. It is checked between files.</param>
    /// <returns>One result for each path.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="paths"/> is <see langword="null"/>.</exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. The enumeration throws it.
    /// </exception>
    /// <remarks>
    /// <para>Groups of 32 files are read ahead of the caller, up to two groups for each of
    /// <see cref="FileBatchOptions.MaxDegreeOfParallelism"/>. A file larger than 256 KiB is read when its result is requested.
    /// Therefore, no more than 16 MiB wait for the caller for each of
    /// <see cref="FileBatchOptions.MaxDegreeOfParallelism"/>.</para>
    /// <para>If a file cannot be read, the enumeration throws the exception that <see cref="File.ReadAllBytes"/> throws for it,
    /// and ends. With <see cref="FileBatchOptions.ContinueOnError"/>, the exception becomes the
    /// <see cref="FileReadResult.Error"/> of that file's result, and the enumeration continues. An exception thrown by
    /// <paramref name="paths"/> is thrown after the results of the preceding paths.</para>
    /// <para>On Linux, a FIFO, a socket, and a device that has no data available are failures, so that a batch never waits for
    /// another process.</para>
    /// </remarks>
    public static IAsyncEnumerable<FileReadResult> ReadManyAsync(
        IEnumerable<string> paths, FileBatchOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(paths);
        return ReadGroupsAsync(paths, options ?? new FileBatchOptions(), cancellationToken);
    }

    /// <summary>Asynchronously creates or overwrites many small files.</summary>
    /// <param name="files">
    /// The paths and the contents of the files. The sequence is enumerated ahead of the writes, 32 files at a time. The memory of
    /// the contents must not change until the task has completed.
    /// </param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. It is checked between files.</param>
    /// <returns>A task that completes when all files have been written.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="files"/> is <see langword="null"/>.</exception>
    /// <exception cref="FileBatchException">
    /// One or more files could not be written. The exception contains the failures and the number of files that were written. It
    /// is thrown even if <paramref name="files"/> threw an exception or the batch was canceled in the meantime.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. Some files may have been written.
    /// </exception>
    /// <remarks>
    /// <para>Each file is written as by <see cref="File.WriteAllBytes(string, byte[])"/>. If a path occurs twice, the later
    /// content is written last. An exception thrown by <paramref name="files"/> is thrown after the preceding files have been
    /// written.</para>
    /// <para>On Linux, a FIFO, a socket, and a device that accepts no data at once are failures, so that a batch never waits for
    /// another process.</para>
    /// </remarks>
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
