using System.Runtime.CompilerServices;
using Microsoft.Win32.SafeHandles;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Sequential;

namespace Sluice;

// One file on all cores.
public sealed partial class SluiceReader
{
    /// <summary>
    /// Processes a file on several threads. The file is divided into parts at line or record boundaries. A callback is called for each
    /// part, and the results of the callback are returned.
    /// </summary>
    /// <typeparam name="TResult">The type of the result for one part.</typeparam>
    /// <param name="path">The path of the file.</param>
    /// <param name="callback">The method that is called once for each part, by several threads at the same time.</param>
    /// <param name="options">
    /// The options, or <see langword="null"/> for the defaults: lines that end with LF, parts of 256 KiB, and one thread for each
    /// processor.
    /// </param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. It is checked between parts.</param>
    /// <returns>
    /// The results of the callback. They have the order of the parts in the file, unless <see cref="SluiceScanOptions.Ordered"/> is
    /// <see langword="false"/>.
    /// </returns>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty or is not a valid path.</exception>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="path"/> or <paramref name="callback"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be opened for reading.</exception>
    /// <exception cref="InvalidDataException">
    /// The length of the file is not a multiple of <see cref="SluiceScanOptions.RecordSize"/>.
    /// </exception>
    /// <exception cref="EndOfStreamException">The file was truncated during the scan.</exception>
    /// <exception cref="NotSupportedException">
    /// The file does not support seeking. For example, it is a pipe, a socket or a terminal.
    /// </exception>
    /// <exception cref="IOException">An I/O error occurred, or a line is longer than 2 GiB.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// The arguments are checked when the first result is requested. If the callback throws an exception, the scan ends and the enumeration
    /// throws that exception. The method is thread-safe.
    /// </remarks>
    public static async IAsyncEnumerable<TResult> ScanAsync<TResult>(
        string path,
        ScanCallback<TResult> callback,
        SluiceScanOptions? options = null,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callback);
        options ??= new SluiceScanOptions();
        options.Check();
        using SluiceHandle handle = OpenToScan(path, options);
        ParallelScan<TResult> scan = new(handle, callback, options);
        await foreach (TResult result in scan.RunAsync(cancellationToken).ConfigureAwait(false))
        {
            yield return result;
        }
    }

    private static SluiceHandle OpenToScan(string path, SluiceScanOptions options)
    {
        if (!Libc.IsSupported || string.IsNullOrEmpty(path))
        {
            return SluiceHandle.Open(path, new SluiceOptions { Caching = options.Caching, Engine = options.Engine });
        }

        // A FIFO that is opened as .NET does would wait for a writer, and it has no length.
        SafeFileHandle file = UnwaitingFile.Open(
            path, PathCalls.ReadOnly, createMode: 0, "Scanning", static (verb, name) =>
                new NotSupportedException($"{verb} '{name}' failed: it is a pipe or a socket, and has no parts."), out _);
        try
        {
            UnwaitingFile.MakeWaiting(file, path);
        }
        catch
        {
            file.Dispose();
            throw;
        }

        return SluiceHandle.Adopt(file, Path.GetFullPath(path), FileAccess.Read, options.Caching, options.Engine);
    }
}
