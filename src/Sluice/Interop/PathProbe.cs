using System.Runtime.InteropServices;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>What a path names, links followed.</summary>
internal enum PathKind { Unknown, RegularFile, Directory, BlockDevice, Other }

/// <summary>Tells files from devices, pipes and sockets without opening them, which could wait for ever or have effects.</summary>
internal static unsafe partial class PathProbe
{
    private const int AtFdCwd = -100;

    /// <param name="deviceNumber">major:minor of a block device, otherwise null.</param>
    /// <returns><see cref="PathKind.Unknown"/> where statx fails or there is none.</returns>
    public static PathKind KindOf(string path, out string? deviceNumber)
    {
        deviceNumber = null;
        Statx stat;
        if (!Libc.IsSupported || statx(AtFdCwd, path, 0, (uint)StatxMask.Type, &stat) < 0)
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

    /// <summary>What a path names; false where statx fails or there is none.</summary>
    public static bool TryStat(string path, out Statx stat)
    {
        stat = default;
        fixed (Statx* p = &stat)
        {
            return Libc.IsSupported && statx(AtFdCwd, path, 0, (uint)StatxMask.BasicStats, p) >= 0;
        }
    }

    [LibraryImport("libc", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int statx(int directoryFd, string path, int flags, uint mask, Statx* result);
}
