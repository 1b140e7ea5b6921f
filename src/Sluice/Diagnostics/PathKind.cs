using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Diagnostics;

/// <summary>The type of the file that a path leads to, following links.</summary>
internal enum PathKind { Unknown, RegularFile, Directory, BlockDevice, Other }

/// <summary>Determines the type of a file without opening it, which could block or have side effects.</summary>
internal static class PathKinds
{
    /// <returns>The type, or <see cref="PathKind.Unknown"/> if statx(2) fails or is not available.</returns>
    public static PathKind Of(string path) => Of(path, out _);

    /// <summary>
    /// Opens a regular file for reading. Returns null if it cannot be opened or is not a regular file. Links are not followed, and a FIFO
    /// does not block.
    /// </summary>
    public static SafeFileHandle? OpenPlain(string path) =>
        Libc.IsSupported ? OpenPlain(path, out _)
            : File.Exists(path) ? File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete)
            : null;

    /// <summary>Opens a regular file for reading, like <see cref="OpenPlain(string)"/>, but throws an exception if that fails.</summary>
    /// <exception cref="IOException">The file cannot be opened or is not a regular file.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to read the file.</exception>
    public static SafeFileHandle RequirePlain(string path)
    {
        const string verb = "Opening";
        if (!Libc.IsSupported)
        {
            return File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        }

        SafeFileHandle? opened = OpenPlain(path, out int result);
        PathErrors.ThrowIfFailed(result, verb, path);
        return opened ?? throw new IOException($"{verb} '{path}' failed: it is not a regular file.");
    }

    /// <summary>Returns true if the file belongs to the effective user, or if the owner cannot be determined.</summary>
    public static bool IsOwn(string path) => !NodeCalls.TryStat(path, out Statx stat) || stat.Uid == NodeCalls.EffectiveUser;

    /// <summary>Returns true if two paths lead to the same existing file or directory, following links.</summary>
    public static bool AreSame(string path, string other) =>
        NodeCalls.TryStat(path, out Statx stat) && NodeCalls.TryStat(other, out Statx otherStat) && stat.IsSame(otherStat);

    /// <summary>Returns true if a path leads to the open file, following links, or if this cannot be determined.</summary>
    public static bool Names(string path, SafeFileHandle file)
    {
        bool names = !Libc.IsSupported
            || (NodeCalls.TryStat(path, out Statx named)
                && Libc.Stat((int)file.DangerousGetHandle(), StatxMask.BasicStats, out Statx opened) == 0 && named.IsSame(opened));
        GC.KeepAlive(file);
        return names;
    }

    /// <param name="result">The descriptor, or a negative errno.</param>
    private static SafeFileHandle? OpenPlain(string path, out int result)
    {
        result = PathCalls.Open(PathCalls.ToKernel(path), PathCalls.ReadOnly | PathCalls.NonBlocking | PathCalls.NoFollowFlag);
        if (result < 0)
        {
            return null;
        }

        SafeFileHandle opened = new(result, ownsHandle: true);
        if (Libc.TypeOf(result) == Statx.TypeRegular)
        {
            return opened;
        }

        opened.Dispose();
        return null;
    }

    /// <param name="deviceNumber">The number of a block device as major:minor; otherwise, null.</param>
    /// <inheritdoc cref="Of(string)"/>
    public static PathKind Of(string path, out string? deviceNumber)
    {
        deviceNumber = null;
        if (!NodeCalls.TryStat(path, out Statx stat))
        {
            return PathKind.Unknown;
        }

        switch (stat.Mode & Statx.TypeMask)
        {
            case Statx.TypeRegular:
                return PathKind.RegularFile;
            case Statx.TypeDirectory:
                return PathKind.Directory;
            case Statx.TypeBlockDevice:
                deviceNumber = $"{stat.RdevMajor}:{stat.RdevMinor}";
                return PathKind.BlockDevice;
            default:
                return PathKind.Other;
        }
    }
}
