using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>The steps of a durable replacement: temporary file, metadata, data sync, rename, directory sync.</summary>
internal static class AtomicReplacement
{
    private const uint PermissionBits = 0xFFF;
    private const uint DefaultMode = 0x1B6;

    public static async Task RunAsync(
        string path, Func<SluiceHandle, CancellationToken, ValueTask> write, CancellationToken cancellationToken)
    {
        string target = ResolveLinks(Path.GetFullPath(path));
        if (OperatingSystem.IsLinux() && Libc.IsSupported)
        {
            await RunOnLinuxAsync(target, write, cancellationToken).ConfigureAwait(false);
        }
        else
        {
            await RunPortablyAsync(target, write, cancellationToken).ConfigureAwait(false);
        }
    }

    [SupportedOSPlatform("linux")]
    private static async Task RunOnLinuxAsync(
        string target, Func<SluiceHandle, CancellationToken, ValueTask> write, CancellationToken cancellationToken)
    {
        Statx? old = FindOld(target);
        using TemporaryFile temporary = TemporaryFile.Create(NodePath.Of(target), old is null ? DefaultMode : null);
        using SluiceHandle handle = SluiceHandle.FromSafeFileHandle(temporary.SafeFileHandle, FileAccess.ReadWrite, ownsHandle: false);
        await write(handle, cancellationToken).ConfigureAwait(false);
        if (old is { } kept)
        {
            KeepMetadata(target, kept, temporary);
        }

        // One hop for all that waits for the disk, instead of one for each: and a process that is killed leaves no ring that would keep
        // the temporary file locked for a while.
        await Task.Run(() => Finish(target, temporary, cancellationToken), CancellationToken.None).ConfigureAwait(false);
    }

    [SupportedOSPlatform("linux")]
    private static void Finish(string target, TemporaryFile temporary, CancellationToken cancellationToken)
    {
        int result = Libc.Flush(temporary.Descriptor, dataOnly: true);
        PathErrors.ThrowIfFailed(SluiceHandle.IsUnflushable(-result) ? 0 : result, "Writing to the disk", target);
        cancellationToken.ThrowIfCancellationRequested();
        temporary.RenameTo(NodePath.Of(target));
        FileCopier.FlushFolder(Path.GetDirectoryName(target) ?? "/");
    }

    private static async Task RunPortablyAsync(
        string target, Func<SluiceHandle, CancellationToken, ValueTask> write, CancellationToken cancellationToken)
    {
        string temporary = $"{target}.{Guid.NewGuid():N}.sluice-tmp";
        try
        {
            using (SluiceHandle handle = SluiceHandle.Open(temporary, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None))
            {
                await write(handle, cancellationToken).ConfigureAwait(false);
                await handle.FlushToDiskAsync(dataOnly: false, cancellationToken).ConfigureAwait(false);
            }

            cancellationToken.ThrowIfCancellationRequested();
            if (File.Exists(target))
            {
                // Keeps the attributes and the access control list of the old file.
                File.Replace(temporary, target, destinationBackupFileName: null);
            }
            else
            {
                File.Move(temporary, target, overwrite: false);
            }
        }
        catch
        {
            File.Delete(temporary);
            throw;
        }
    }

    /// <summary>A link stays a link: what it leads to is replaced.</summary>
    private static string ResolveLinks(string path) =>
        new FileInfo(path).LinkTarget is null ? path : File.ResolveLinkTarget(path, returnFinalTarget: true)!.FullName;

    [SupportedOSPlatform("linux")]
    private static Statx? FindOld(string target)
    {
        int result = NodeCalls.Stat(PathCalls.ToKernel(target), followsLinks: false, StatxMask.BasicStats, out Statx old);
        if (result == -Errno.ENOENT)
        {
            return null;
        }

        PathErrors.ThrowIfFailed(result, "Replacing", target);
        return (old.Mode & Statx.TypeMask) switch
        {
            Statx.TypeRegular => old,
            Statx.TypeDirectory => throw new UnauthorizedAccessException($"Replacing '{target}' failed: it is a folder."),
            _ => throw new IOException($"Replacing '{target}' failed: it is no plain file."),
        };
    }

    /// <summary>Owner first, since a change of owner takes special mode bits away.</summary>
    [SupportedOSPlatform("linux")]
    private static void KeepMetadata(string target, in Statx old, TemporaryFile temporary)
    {
        int result = Libc.Stat(temporary.Descriptor, StatxMask.BasicStats, out Statx made);
        if (result == 0 && (made.Uid != old.Uid || made.Gid != old.Gid))
        {
            result = NodeCalls.SetOwner(temporary.Descriptor, old.Uid, old.Gid);
        }

        PathErrors.ThrowIfFailed(result, "Keeping the owner of", target);

        // Without read permission there are no attributes to be had; the rest of the replacement needs none.
        int oldFd = PathCalls.Open(PathCalls.ToKernel(target), PathCalls.ReadOnly | PathCalls.NoFollowFlag);
        if (oldFd >= 0)
        {
            result = NodeCalls.CopyExtendedAttributes(oldFd, temporary.Descriptor);
            PathCalls.Close(oldFd);
            PathErrors.ThrowIfFailed(result, "Keeping the attributes of", target);
        }

        PathErrors.ThrowIfFailed(NodeCalls.SetMode(temporary.Descriptor, old.Mode & PermissionBits), "Keeping the permissions of", target);
    }
}
