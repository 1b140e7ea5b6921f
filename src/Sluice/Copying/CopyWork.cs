using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Uring.Abi;

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
            () => options.BytesPerSecond is null && IsShort(source)
                ? Task.FromResult(Run(source, target, options, cancellationToken))
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

    /// <summary>Whether the source is one small file.</summary>
    private static bool IsShort(string source)
    {
        if (OperatingSystem.IsLinux() && Libc.IsSupported)
        {
            return NodeCalls.Stat(NodePath.Of(source), followsLinks: true, StatxMask.BasicStats, out Statx stat) == 0
                && (stat.Mode & Statx.TypeMask) == Statx.TypeRegular && stat.Size <= MaxShortBytes;
        }

        FileInfo file = new(source);
        return file.Exists && file.Length <= MaxShortBytes;
    }

    /// <summary>Copies on the calling thread.</summary>
    public static CopyResult Run(string source, string target, CopyOptions options, CancellationToken cancellationToken)
    {
        CopyMeter meter = new(options.Progress, options.BytesPerSecond);
        try
        {
            CopyResult result = OperatingSystem.IsLinux() && Libc.IsSupported
                ? RunOnLinux(source, target, options, meter, cancellationToken)
                : PortableCopier.Copy(source, target, options, meter, cancellationToken);
            meter.Tell();
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
    private static CopyResult RunOnLinux(
        string source, string target, CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
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
        CopyResult result = copier.Copy(source, Path.TrimEndingDirectorySeparator(target));
        if (copier.Refused is { } refused)
        {
            // The copy is there.
            meter.Tell();
            throw refused;
        }

        return result;
    }
}
