using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Sequential;

/// <summary>
/// Identifies a file even if another file later has its name: device and inode on Linux, volume and file ID on Windows, and the creation
/// time elsewhere.
/// </summary>
internal readonly record struct FileIdentity(ulong Device, ulong Number)
{
    /// <summary>Returns the identity of the regular file at a path, or null if there is none.</summary>
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

    /// <summary>Returns the identity of an open file.</summary>
    /// <exception cref="IOException">The operating system does not provide the identity.</exception>
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
                : throw new IOException($"Looking at '{handle.Path}' failed: the operating system does not provide the file's identity.");
        }

        return new FileIdentity(0, (ulong)File.GetCreationTimeUtc(handle.SafeFileHandle).Ticks);
    }

    private static FileIdentity From(in Statx stat) => new(((ulong)stat.DevMajor << 32) | stat.DevMinor, stat.Ino);
}
