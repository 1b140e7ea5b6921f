using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Sluice.Files;

namespace Sluice;

/// <summary>Many small files at once.</summary>
public static partial class SluiceFile
{
    private const int MostGroups = 1024;

    /// <summary>
    /// Reads whole files, in the order of the paths. Groups of them are read ahead of the caller; files above 256 KiB are read alone
    /// when their turn comes, so that no more than 16 MiB for each of <see cref="FileBatchOptions.MaxDegreeOfParallelism"/> wait.
    /// </summary>
    /// <param name="paths">The files; taken one by one, as the caller goes on.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the enumeration between files.</param>
    /// <returns>One result for each path. A path that fails has its own error, and the rest goes on, unless asked otherwise.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="paths"/> is null.</exception>
    public static IAsyncEnumerable<FileReadResult> ReadAllBytesAsync(
        IEnumerable<string> paths, FileBatchOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(paths);
        return ReadGroupsAsync(paths, options ?? new FileBatchOptions(), cancellationToken, CancellationToken.None);
    }

    /// <summary>Writes whole files: each is made, or emptied and filled, as <see cref="File.WriteAllBytes(string, byte[])"/> does.</summary>
    /// <param name="files">Paths and contents; taken one by one. The memory belongs to the call until it has ended.</param>
    /// <param name="options">How; null for the defaults.</param>
    /// <param name="cancellationToken">Ends the batch between files.</param>
    /// <returns>The files that failed, each with its own error; empty when all are written.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="files"/> is null.</exception>
    /// <exception cref="OperationCanceledException">The batch was cancelled; some files have been written.</exception>
    public static Task<IReadOnlyList<FileFailure>> WriteAllBytesAsync(
        IEnumerable<(string Path, ReadOnlyMemory<byte> Bytes)> files,
        FileBatchOptions? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(files);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled<IReadOnlyList<FileFailure>>(cancellationToken)
            : WriteGroupsAsync(files, options ?? new FileBatchOptions(), cancellationToken);
    }

    private static async IAsyncEnumerable<FileReadResult> ReadGroupsAsync(
        IEnumerable<string> paths, FileBatchOptions options, CancellationToken asked,
        [EnumeratorCancellation] CancellationToken enumerating)
    {
        Queue<Task<SmallFile[]>> ahead = new();
        int degree = Math.Min(options.MaxDegreeOfParallelism, MostGroups);
        Task<SmallFile[]>[] lanes = new Task<SmallFile[]>[degree];
        int lane = 0;
        try
        {
            foreach (string[] group in paths.Chunk(SmallFileReader.MostFiles))
            {
                // As many at once as were asked for, and as many more that are done or come next: whoever is done finds work begun.
                lanes[lane] = lanes[lane] is { } before
                    ? before.ContinueWith((_, next) => ReadGroup((string[])next!), group, TaskScheduler.Default)
                    : Task.Run(() => ReadGroup(group), CancellationToken.None);
                ahead.Enqueue(lanes[lane]);
                lane = (lane + 1) % degree;
                if (ahead.Count >= 2 * degree)
                {
                    SmallFile[] files = await ahead.Dequeue().ConfigureAwait(false);
                    for (int i = 0; i < files.Length; i++)
                    {
                        yield return files[i].State == SmallFileState.Large
                            ? await ReadLargeAsync(files[i]).ConfigureAwait(false)
                            : Finish(files[i]);
                        files[i] = default;
                    }
                }
            }

            while (ahead.TryDequeue(out Task<SmallFile[]>? next))
            {
                SmallFile[] files = await next.ConfigureAwait(false);
                for (int i = 0; i < files.Length; i++)
                {
                    yield return files[i].State == SmallFileState.Large
                        ? await ReadLargeAsync(files[i]).ConfigureAwait(false)
                        : Finish(files[i]);
                    files[i] = default;
                }
            }
        }
        finally
        {
            // No group goes on behind the back of a caller who has left.
            await Task.WhenAll(ahead).ConfigureAwait(false);
        }

        async ValueTask<FileReadResult> ReadLargeAsync(SmallFile file)
        {
            enumerating.ThrowIfCancellationRequested();
            try
            {
                byte[] content = await ReadAllBytesAsync(file.Path, asked.CanBeCanceled ? asked : enumerating).ConfigureAwait(false);
                return new FileReadResult(file.Path, content, null);
            }
#pragma warning disable CA1031 // Whatever it is, it is this file's result.
            catch (Exception e) when (e is not OperationCanceledException)
            {
                file.Error = e;
                return Finish(file);
            }
#pragma warning restore CA1031
        }

        FileReadResult Finish(in SmallFile file)
        {
            asked.ThrowIfCancellationRequested();
            enumerating.ThrowIfCancellationRequested();
            if (file.Error is not null && options.StopsOnError)
            {
                ExceptionDispatchInfo.Throw(file.Error);
            }

            return new FileReadResult(file.Path, file.Content, file.Error);
        }
    }

    private static SmallFile[] ReadGroup(string[] paths)
    {
        SmallFile[] files = new SmallFile[paths.Length];
        for (int i = 0; i < paths.Length; i++)
        {
            files[i].Path = paths[i];
        }

        SmallFileReader.Read(files);
        return files;
    }

    private static async Task<IReadOnlyList<FileFailure>> WriteGroupsAsync(
        IEnumerable<(string Path, ReadOnlyMemory<byte> Bytes)> files, FileBatchOptions options, CancellationToken cancellationToken)
    {
        List<FileFailure> failures = [];
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Queue<Task> ahead = new();
        try
        {
            foreach ((string Path, ReadOnlyMemory<byte> Bytes)[] group in files.Chunk(SmallFileReader.MostFiles))
            {
                if (stop.IsCancellationRequested)
                {
                    break;
                }

                ahead.Enqueue(Task.Run(() => WriteGroup(group), CancellationToken.None));
                if (ahead.Count > options.MaxDegreeOfParallelism)
                {
                    await ahead.Dequeue().ConfigureAwait(false);
                }
            }
        }
        finally
        {
            await Task.WhenAll(ahead).ConfigureAwait(false);
        }

        if (failures.Count > 0 && options.StopsOnError)
        {
            ExceptionDispatchInfo.Throw(failures[0].Error);
        }

        cancellationToken.ThrowIfCancellationRequested();
        return failures;

        void WriteGroup((string Path, ReadOnlyMemory<byte> Bytes)[] group)
        {
            foreach ((string path, ReadOnlyMemory<byte> bytes) in group)
            {
                if (stop.IsCancellationRequested)
                {
                    return;
                }

                if (SmallFileWriter.Write(path, bytes) is { } error)
                {
                    lock (failures)
                    {
                        failures.Add(new FileFailure(path, error));
                    }

                    if (options.StopsOnError)
                    {
                        stop.Cancel();
                    }
                }
            }
        }
    }
}
