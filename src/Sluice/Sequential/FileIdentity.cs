using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Sequential;

/// <summary>
/// Tells one file from another that later bears its name: device and inode on Linux, volume and number on Windows, the time of creation
/// elsewhere.
/// </summary>
internal readonly record struct FileIdentity(ulong Device, ulong Number)
{
    /// <summary>The regular file that a path names now; null when there is none.</summary>
    public static FileIdentity? Of(string path)
    {
        if (Libc.IsSupported)
        {
            return NodeCalls.TryStat(path, out Statx stat) && (stat.Mode & Statx.TypeMask) == Statx.TypeRegular ? From(stat) : null;
        }

        if (OperatingSystem.IsWindows())
        {
            return WindowsFileId.TryGet(path, out ulong volume, out ulong number) ? new FileIdentity(volume, number) : null;
        }

        FileInfo info = new(path);
        return info.Exists ? new FileIdentity(0, (ulong)info.CreationTimeUtc.Ticks) : null;
    }

    /// <summary>The open file.</summary>
    /// <exception cref="IOException">The operating system does not tell: that is no other file.</exception>
    public static FileIdentity Of(SluiceHandle handle)
    {
        if (Libc.IsSupported)
        {
            PathErrors.ThrowIfFailed(Libc.Stat(handle.Descriptor, StatxMask.BasicStats, out Statx stat), "Looking at", handle.Path);
            return From(stat);
        }

        if (OperatingSystem.IsWindows())
        {
            return WindowsFileId.TryGet(handle.SafeFileHandle, out ulong volume, out ulong number)
                ? new FileIdentity(volume, number)
                : throw new IOException($"Looking at '{handle.Path}' failed: the operating system does not tell which file it is.");
        }

        return new FileIdentity(0, (ulong)File.GetCreationTimeUtc(handle.SafeFileHandle).Ticks);
    }

    private static FileIdentity From(in Statx stat) => new(((ulong)stat.DevMajor << 32) | stat.DevMinor, stat.Ino);
}
