using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>One call of <see cref="SluiceFile.CopyAsync"/>: a file or a tree, on Linux or elsewhere. </summary>
internal static class CopyWork
{
    /// <summary>Bytes of a file whose copy is over sooner than a thread of its own would have started.</summary>
    private const int MaxShortBytes = 1 << 20;
    private static int s_clones;

    /// <summary>
    /// The copy as a task that is cancelled, not failed, where the caller's token says so. Most of a copy is waiting in system calls: on
    /// a thread of its own, unless it is over sooner than one would have started: a small file whose rate is not limited, or one whose
    /// blocks are shared.
    /// </summary>
    public static async Task<CopyResult> RunAsync(string source, string target, CopyOptions options, CancellationToken cancellationToken) =>
        await Task.Run(
            () => options.BytesPerSecond is null && IsShort(source) ? Task.FromResult(Run(source, target, options, cancellationToken)!)
                : TryClone(source, target, options, cancellationToken) is { } clone ? Task.FromResult(clone)
                : StartLong(() => Run(source, target, options, cancellationToken)!),
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

    /// <summary>
    /// A copy that shares its blocks, or null: one at a time, since sharing waits for what of the source is not on the disk yet, and only
    /// where the file system can.
    /// </summary>
    private static CopyResult? TryClone(string source, string target, CopyOptions options, CancellationToken cancellationToken)
    {
        bool mayBe = OperatingSystem.IsLinux() && Libc.IsSupported && options is
        {
            Method: CopyMethod.Auto, Recurse: false, Resume: false, Verify: false, FlushToDisk: false, BytesPerSecond: null,
        };
        if (!mayBe || Interlocked.Exchange(ref s_clones, 1) != 0)
        {
            return null;
        }

        try
        {
            return Run(source, target, options, cancellationToken, clonesOnly: true);
        }
        finally
        {
            Volatile.Write(ref s_clones, 0);
        }
    }

    private static CopyResult? Run(
        string source, string target, CopyOptions options, CancellationToken cancellationToken, bool clonesOnly = false)
    {
        CopyMeter meter = new(options.Progress, options.BytesPerSecond);
        try
        {
            CopyResult? result = OperatingSystem.IsLinux() && Libc.IsSupported
                ? RunOnLinux(source, target, options, meter, clonesOnly, cancellationToken)
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
        string source, string target, CopyOptions options, CopyMeter meter, bool clonesOnly, CancellationToken cancellationToken)
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

        // A link at the target stays, and what it leads to is replaced.
        using TargetLocation location = TargetLocation.Resolve(Path.TrimEndingDirectorySeparator(target), $"Copying '{source}' to");
        FileCopier copier = new(options, meter, cancellationToken) { Location = location };
        CopyResult? result = !clonesOnly ? copier.Copy(NodePath.Of(source), location.Path)
            : Libc.MayShareBlocks(location.FolderFd) ? copier.TryClone(NodePath.Of(source), location.Path)
            : null;
        if (copier.Refused is { } refused)
        {
            // The copy is there.
            meter.Tell();
            throw refused;
        }

        return result;
    }
}
