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
        using SluiceHandle handle = OpenToScan(path, options);
        using ParallelScan<TResult> scan = new(handle, callback, options);
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
