using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Diagnostics;

/// <summary>What a path names, links followed.</summary>
internal enum PathKind { Unknown, RegularFile, Directory, BlockDevice, Other }

/// <summary>Tells files from devices, pipes and sockets without opening them, which could wait for ever or have effects.</summary>
internal static class PathKinds
{
    /// <returns><see cref="PathKind.Unknown"/> where statx fails or there is none.</returns>
    public static PathKind Of(string path) => Of(path, out _);

    /// <summary>
    /// Opens a plain file to read it; null where it cannot be opened, or something else has the name: a link is not followed, and nobody
    /// is waited for, whatever is put there meanwhile.
    /// </summary>
    public static SafeFileHandle? OpenPlain(string path) =>
        Libc.IsSupported ? OpenPlain(path, out _)
            : File.Exists(path) ? File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete)
            : null;

    /// <summary>As <see cref="OpenPlain(string)"/>, with the reason where there is one.</summary>
    /// <exception cref="IOException">It cannot be opened, or is no plain file.</exception>
    /// <exception cref="UnauthorizedAccessException">This process may not read it.</exception>
    public static SafeFileHandle RequirePlain(string path)
    {
        const string verb = "Opening";
        if (!Libc.IsSupported)
        {
            return File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        }

        SafeFileHandle? opened = OpenPlain(path, out int result);
        PathErrors.ThrowIfFailed(result, verb, path);
        return opened ?? throw new IOException($"{verb} '{path}' failed: it is no plain file.");
    }

    /// <summary>Whether what a path names belongs to the user whom this process acts for; true where that cannot be asked.</summary>
    public static bool IsOwn(string path) => !NodeCalls.TryStat(path, out Statx stat) || stat.Uid == NodeCalls.EffectiveUser;

    /// <summary>Whether two paths name one file or folder, links followed; false where one of them is not there.</summary>
    public static bool AreSame(string path, string other) =>
        NodeCalls.TryStat(path, out Statx stat) && NodeCalls.TryStat(other, out Statx otherStat) && stat.IsSame(otherStat);

    /// <summary>Whether a path names the open file, links followed; true where that cannot be asked.</summary>
    public static bool Names(string path, SafeFileHandle file)
    {
        bool names = !Libc.IsSupported
            || (NodeCalls.TryStat(path, out Statx named)
                && Libc.Stat((int)file.DangerousGetHandle(), StatxMask.BasicStats, out Statx opened) == 0 && named.IsSame(opened));
        GC.KeepAlive(file);
        return names;
    }

    /// <param name="result">A negative errno where it could not be opened.</param>
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

    /// <param name="deviceNumber">major:minor of a block device, otherwise null.</param>
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
