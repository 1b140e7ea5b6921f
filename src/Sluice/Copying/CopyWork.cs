using System.Runtime.Versioning;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>One call of <see cref="SluiceFile.CopyAsync"/>: a file or a tree, on Linux or elsewhere. </summary>
internal static class CopyWork
{
    private const int MaxShortBytes = 1 << 20;

    /// <summary>
    /// The copy as a task that is cancelled, not failed, where the caller's token says so. Most of a copy is waiting in system calls: on
    /// a thread of its own, unless it is over sooner than one would have started.
    /// </summary>
    public static async Task<CopyResult> RunAsync(string source, string target, CopyOptions options, CancellationToken cancellationToken) =>
        await Task.Run(
            () => IsShort(source)
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
        FileInfo file = new(source);
        return file.Exists && file.Length <= MaxShortBytes;
    }

    private static CopyResult Run(string source, string target, CopyOptions options, CancellationToken cancellationToken)
    {
        CopyMeter meter = new(options.Progress);
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
        catch (OperationCanceledException e) when (cancellationToken.IsCancellationRequested && e.CancellationToken != cancellationToken)
        {
            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
    }

    [SupportedOSPlatform("linux")]
    private static CopyResult RunOnLinux(
        string source, string target, CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
    {
        if (options.IsShared && (!Directory.Exists(source) || new FileInfo(source).LinkTarget is not null))
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

        // A link at the target stays, and what it leads to is replaced.
        using TargetLocation location = TargetLocation.Resolve(Path.TrimEndingDirectorySeparator(target), $"Copying '{source}' to");
        FileCopier copier = new(options, meter, cancellationToken) { Location = location };
        return copier.Copy(NodePath.Of(source), location.Path);
    }
}
