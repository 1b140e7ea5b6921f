using System.Runtime.CompilerServices;
using Sluice.Kernel;
using Sluice.Sequential;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>One file on all cores.</summary>
public sealed partial class SluiceReader
{
    /// <summary>
    /// Cuts a file at the borders of its lines or records, has the parts worked on by several threads, and gives what comes of each, in the
    /// order of the file unless <see cref="SluiceScanOptions.Ordered"/> says otherwise. Arguments are looked at when the first result is
    /// asked for.
    /// </summary>
    /// <typeparam name="TResult">What comes of a part.</typeparam>
    /// <param name="path">The file.</param>
    /// <param name="callback">Called once for each part, by several threads at once.</param>
    /// <param name="options">How to cut; null for lines that end with LF, and all cores.</param>
    /// <param name="cancellationToken">Looked at between parts.</param>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> or <paramref name="callback"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="InvalidDataException">The file's length is no multiple of <see cref="SluiceScanOptions.RecordSize"/>.</exception>
    /// <exception cref="EndOfStreamException">The file was cut meanwhile.</exception>
    /// <exception cref="NotSupportedException">The file cannot seek: it is a pipe, a socket or a terminal.</exception>
    public static async IAsyncEnumerable<TResult> ScanAsync<TResult>(
        string path,
        ScanCallback<TResult> callback,
        SluiceScanOptions? options = null,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callback);
        options ??= new SluiceScanOptions();
        options.Check();
        if (NodeCalls.TryStat(path, out Statx stat) && (stat.Mode & Statx.TypeMask) is Statx.TypeFifo or Statx.TypeSocket)
        {
            // Opening it would wait for a writer, and it has no length.
            throw new NotSupportedException($"Scanning '{path}' failed: it is a pipe or a socket, and has no parts.");
        }

        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions { Caching = options.Caching, Engine = options.Engine });
        using ParallelScan<TResult> scan = new(handle, callback, options);
        await foreach (TResult result in scan.RunAsync(cancellationToken).ConfigureAwait(false))
        {
            yield return result;
        }
    }
}
