using System.Runtime.Versioning;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>Copies a file or a tree, on Linux or elsewhere.</summary>
internal static class CopyWork
{
    /// <summary>
    /// The maximum length of a file that is read and written on the calling thread instead of with other methods, in bytes (0011).
    /// </summary>
#if DEBUG
    public const int MaxSmallBytes = 8 * 1024;
#else
    public const int MaxSmallBytes = 256 * 1024;
#endif

    /// <summary>
    /// Copies a small file on the calling thread if no option requires a wait for the disk, and otherwise on a new thread. The task is
    /// canceled, not faulted, if the caller's token ended the copy.
    /// </summary>
    public static async Task<CopyResult> RunAsync(string source, string target, CopyOptions options, CancellationToken cancellationToken)
    {
        bool isShort = options is { Recurse: false, Shard: null, BytesPerSecond: null, FlushToDisk: false, Verify: false }
            and { Method: CopyMethod.Auto or CopyMethod.Buffered };
        CopyResult? result = isShort ? Run(source, target, options, onlySmall: true, cancellationToken) : null;
        return result ?? await Task.Factory.StartNew(
            () => Run(source, target, options, cancellationToken), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default).ConfigureAwait(false);
    }

    /// <summary>Copies on the calling thread.</summary>
    public static CopyResult Run(string source, string target, CopyOptions options, CancellationToken cancellationToken) =>
        Run(source, target, options, onlySmall: false, cancellationToken)!;

    /// <summary>
    /// Copies on the calling thread. If <paramref name="onlySmall"/> is true and the source is not a small file, copies nothing and returns
    /// null.
    /// </summary>
    private static CopyResult? Run(
        string source, string target, CopyOptions options, bool onlySmall, CancellationToken cancellationToken)
    {
        CopyMeter meter = new(options.Progress, options.BytesPerSecond);
        try
        {
            CopyResult? result = OperatingSystem.IsLinux() && Libc.IsSupported
                ? RunOnLinux(source, target, options, meter, onlySmall, cancellationToken)
                : onlySmall && new FileInfo(source) is { Exists: true, Length: > MaxSmallBytes } ? null
                : PortableCopier.Copy(source, target, options, meter, cancellationToken);
            if (result is not null)
            {
                meter.Report();
            }

            return result;
        }
        catch (FileBatchException)
        {
            meter.Report();
            throw;
        }
        catch (OperationCanceledException e) when (cancellationToken.IsCancellationRequested)
        {
            meter.Report();
            throw new OperationCanceledException(e.Message, (Exception?)meter.Failures?.ToException() ?? e, cancellationToken);
        }
    }

    [SupportedOSPlatform("linux")]
    private static CopyResult? RunOnLinux(
        string source, string target, CopyOptions options, CopyMeter meter, bool onlySmall, CancellationToken cancellationToken)
    {
        if (options.Shard is not null && (!Directory.Exists(source) || new FileInfo(source).LinkTarget is not null))
        {
            throw Path.Exists(source)
                ? new IOException($"Copying '{source}' failed: it is not a folder, and only folders are copied in shards.")
                : new DirectoryNotFoundException($"Copying '{source}' failed: there is no such folder.");
        }

        if (options.Recurse && (Directory.Exists(source) || new FileInfo(source).LinkTarget is not null))
        {
            return TreeCopier.Copy(source, Path.TrimEndingDirectorySeparator(target), options, meter, cancellationToken);
        }

        if (Path.EndsInDirectorySeparator(target) && !Directory.Exists(target))
        {
            throw new DirectoryNotFoundException($"Copying '{source}' to '{target}' failed: there is no such folder.");
        }

        FileCopier copier = new(options, meter, cancellationToken);
        CopiedFile? copied = copier.Copy(source, Path.TrimEndingDirectorySeparator(target), onlySmall);
        if (copied?.Refused is { } refused)
        {
            // The copy is complete; only its metadata was refused.
            meter.Report();
            throw refused;
        }

        return copied?.Result;
    }
}
