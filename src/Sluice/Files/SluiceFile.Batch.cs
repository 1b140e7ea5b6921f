using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using Sluice.Files;
using Sluice.Kernel;
using Sluice.Sequential;

namespace Sluice;

// Many small files at once.
public static partial class SluiceFile
{
    /// <summary>Groups of a batch of files that are under way (0010).</summary>
    private const int MaxGroups = 1024;

    /// <summary>Asynchronously reads many small files and returns their contents in the order of their paths.</summary>
    /// <param name="paths">
    /// The paths of the files. The sequence is enumerated in advance, before the results of earlier paths are returned.
    /// </param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. It is checked between files.</param>
    /// <returns>One result for each path.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="paths"/> is <see langword="null"/>.</exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. The exception is thrown by the enumeration.
    /// </exception>
    /// <remarks>
    /// <para>The files are read ahead in groups of 32. The number of groups that are read ahead is at most twice
    /// <see cref="FileBatchOptions.MaxDegreeOfParallelism"/>. A file larger than 256 KiB is not read ahead, but when its result is
    /// requested. This limits the memory for results that are read ahead to 16 MiB times
    /// <see cref="FileBatchOptions.MaxDegreeOfParallelism"/>.</para>
    /// <para>If a file cannot be read, the enumeration throws the same exception as <see cref="File.ReadAllBytes"/> and ends. With
    /// <see cref="FileBatchOptions.ContinueOnError"/>, the enumeration continues, and the exception is stored in the
    /// <see cref="FileReadResult.Error"/> of that file's result.</para>
    /// <para>If the enumeration of <paramref name="paths"/> throws an exception, the results of the preceding paths are returned
    /// first.</para>
    /// <para>On Linux, reading a FIFO, a socket or a device that has no data available fails, because a batch never waits for another
    /// process.</para>
    /// </remarks>
    public static IAsyncEnumerable<FileReadResult> ReadManyAsync(
        IEnumerable<string> paths, FileBatchOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(paths);
        return ReadGroupsAsync(paths, options ?? new FileBatchOptions(), cancellationToken);
    }

    /// <summary>Asynchronously creates or overwrites many small files.</summary>
    /// <param name="files">
    /// The paths and the contents of the files. The sequence is enumerated 32 files at a time, before they are written. The contents must
    /// not be changed until the task has completed.
    /// </param>
    /// <param name="options">The options, or <see langword="null"/> for the defaults.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. It is checked between files.</param>
    /// <returns>A task that completes when all files have been written.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="files"/> is <see langword="null"/>.</exception>
    /// <exception cref="FileBatchException">
    /// One or more files could not be written. The exception contains the failures and the number of files that were written. It takes
    /// precedence over an exception of <paramref name="files"/> and over a cancellation.
    /// </exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. Some files may have been written.
    /// </exception>
    /// <remarks>
    /// <para>Each file is written in the same way as by <see cref="File.WriteAllBytes(string, byte[])"/>. If a path occurs twice, the later
    /// content is written last. If the enumeration of <paramref name="files"/> throws an exception, the preceding files are written
    /// first.</para>
    /// <para>On Linux, writing to a FIFO, a socket or a device that cannot accept data immediately fails, because a batch never waits for
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
        int degree = Math.Min(options.MaxDegreeOfParallelism, MaxGroups);
        ParallelSteps<SmallFile[]> steps = new(degree, 2 * degree);
        try
        {
            while (true)
            {
                while (steps.HasRoom && groups.Next() is { } group)
                {
                    steps.Begin(() => SmallFileReader.Read(group));
                }

                if (steps.IsEmpty)
                {
                    break;
                }

                SmallFile[] files = await steps.TakeFirstAsync().ConfigureAwait(false);
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
            await steps.EndAsync().ConfigureAwait(false);
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
        HashSet<string?> underWay = new(StringComparer.Ordinal);
        int degree = Math.Min(options.MaxDegreeOfParallelism, MaxGroups);
        ParallelSteps<(string Path, ReadOnlyMemory<byte> Bytes)[]> steps = new(degree, 2 * degree);
        try
        {
            while (!writer.IsOver && groups.Next() is { } group)
            {
                // Of two entries of one path the later one waits for the first, or their bytes might be mixed.
                bool isAgain = Array.Exists(group, file => underWay.Contains(file.Path));
                while (!steps.HasRoom || (isAgain && !steps.IsEmpty))
                {
                    Array.ForEach(await steps.TakeFirstAsync().ConfigureAwait(false), file => underWay.Remove(file.Path));
                }

                Array.ForEach(group, file => underWay.Add(file.Path));
                steps.Begin(() =>
                {
                    writer.Write(group);
                    return group;
                });
            }

            while (!steps.IsEmpty)
            {
                _ = await steps.TakeFirstAsync().ConfigureAwait(false);
            }
        }
        finally
        {
            await steps.EndAsync().ConfigureAwait(false);
        }

        writer.ThrowIfFailed();
        cancellationToken.ThrowIfCancellationRequested();
        groups.ThrowIfFailed();
    }
}
