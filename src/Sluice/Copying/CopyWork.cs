using System.Runtime.Versioning;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>Copies a file or a tree, on Linux or elsewhere.</summary>
internal static class CopyWork
{
    /// <summary>Bytes of a file whose copy is over sooner than a thread of its own would have started.</summary>
    private const int MaxShortBytes = 1 << 20;

    /// <summary>
    /// Copies a small file on a thread of the pool, and anything else, which may block for long, on a thread of its own. The task is
    /// canceled, not faulted, if the caller's token ended the copy.
    /// </summary>
    public static async Task<CopyResult> RunAsync(string source, string target, CopyOptions options, CancellationToken cancellationToken) =>
        await Task.Run(
            () => TryRunShort(source, target, options, cancellationToken) is { } result ? Task.FromResult(result)
                : StartLong(() => Run(source, target, options, cancellationToken)),
            CancellationToken.None).ConfigureAwait(false);

    private static Task<CopyResult> StartLong(Func<CopyResult> run)
    {
        try
        {
            return Task.Factory.StartNew(run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }
        catch (TaskSchedulerException)
        {
            // No thread can be made: this one of the pool serves.
            return Task.FromResult(run());
        }
    }

    /// <summary>Copies a small file, or returns null if the source is anything else.</summary>
    private static CopyResult? TryRunShort(string source, string target, CopyOptions options, CancellationToken cancellationToken)
    {
        bool mayBeLong = options.Recurse || options.Shard is not null || options.BytesPerSecond is not null;
        return mayBeLong ? null : Run(source, target, options, MaxShortBytes, cancellationToken);
    }

    /// <summary>Copies on the calling thread.</summary>
    public static CopyResult Run(string source, string target, CopyOptions options, CancellationToken cancellationToken) =>
        Run(source, target, options, long.MaxValue, cancellationToken)!;

    /// <summary>Copies on the calling thread, or returns null if the source is a file that is longer.</summary>
    private static CopyResult? Run(
        string source, string target, CopyOptions options, long maxBytes, CancellationToken cancellationToken)
    {
        CopyMeter meter = new(options.Progress, options.BytesPerSecond);
        try
        {
            CopyResult? result = OperatingSystem.IsLinux() && Libc.IsSupported
                ? RunOnLinux(source, target, options, meter, maxBytes, cancellationToken)
                : maxBytes != long.MaxValue && new FileInfo(source) is { Exists: true } file && file.Length > maxBytes ? null
                : PortableCopier.Copy(source, target, options, meter, cancellationToken);
            if (result is not null)
            {
                meter.Tell();
            }

            return result;
        }
        catch (FileBatchException)
        {
            meter.Tell();
            throw;
        }
        catch (OperationCanceledException e) when (cancellationToken.IsCancellationRequested)
        {
            meter.Tell();
            if (meter.Failures?.Found() is { } failed)
            {
                throw new OperationCanceledException(e.Message, failed, cancellationToken);
            }

            if (e.CancellationToken == cancellationToken)
            {
                throw;
            }

            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
    }

    [SupportedOSPlatform("linux")]
    private static CopyResult? RunOnLinux(
        string source, string target, CopyOptions options, CopyMeter meter, long maxBytes, CancellationToken cancellationToken)
    {
        if (options.Shard is not null && (!Directory.Exists(source) || new FileInfo(source).LinkTarget is not null))
        {
            throw Path.Exists(source)
                ? new IOException($"Copying '{source}' failed: it is no folder, and only folders are copied in shards.")
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
        CopyResult? result = copier.Copy(source, Path.TrimEndingDirectorySeparator(target), maxBytes);
        if (copier.Refused is { } refused)
        {
            // The copy is there.
            meter.Tell();
            throw refused;
        }

        return result;
    }
}
