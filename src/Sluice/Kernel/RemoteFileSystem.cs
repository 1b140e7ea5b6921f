using System.Runtime.Versioning;

namespace Sluice.Kernel;

/// <summary>
/// Identifies file systems that send their requests to another machine or to a program. Each call takes a round trip, so many concurrent
/// calls take hardly longer than one.
/// </summary>
[SupportedOSPlatform("linux")]
internal static class RemoteFileSystem
{
    // f_type of statfs(2), from linux/magic.h or the sources of the file system.
    private const long Nfs = 0x6969;
    private const long Smb = 0x517B;
    private const long Cifs = 0xFF534D42;
    private const long Smb2 = 0xFE534D42;
    private const long Ceph = 0x00C36400;
    private const long Plan9 = 0x01021997;
    private const long Afs = 0x5346414F;
    private const long KernelAfs = 0x6B414653;
    private const long Coda = 0x73757245;
    private const long Lustre = 0x0BD00BD0;
    private const long Gpfs = 0x47504653;
    private const long BeeGfs = 0x19830326;

    /// <summary>eCryptfs. It stores its files in another file system of this machine.</summary>
    private const long Ecryptfs = 0xF15F;

    /// <summary>
    /// Returns true if syncfs(2) may not include what fsync(2) of each file and directory flushes, because the file system does not pass it
    /// on to its server or lower file system (FUSE except virtiofs, SMB, 9p, eCryptfs). Also true if the type is unknown.
    /// </summary>
    public static bool MustFlushEach(int fd)
    {
        long type = Libc.FileSystemType(fd) & 0xFFFF_FFFF;
        return type is 0 or Ecryptfs || (type != Ceph && IsRemote(type));
    }

    /// <summary>Returns true if an open file or directory is on such a file system; false if the type is unknown.</summary>
    public static bool Holds(int fd) => IsRemote(Libc.FileSystemType(fd) & 0xFFFF_FFFF);

    private static bool IsRemote(long type) =>
        type is Nfs or Smb or Cifs or Smb2 or Libc.FuseMagic or Ceph or Plan9 or Afs or KernelAfs or Coda or Lustre or Gpfs or BeeGfs;
}
