using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Doctor;

/// <summary>Tests the requirements of direct I/O, and a direct transfer.</summary>
internal static class DirectFindings
{
    private const int FallbackBytes = 4096;

    /// <param name="mayWrite">True to overwrite the first block. False for a file of the user.</param>
    /// <param name="fileSystem">The name of the file's file system; null if it is unknown.</param>
    public static IEnumerable<Finding> Collect(SluiceHandle file, bool mayWrite, string? fileSystem)
    {
        DirectLimits limits = CapabilityProbe.LimitsOf(file.SafeFileHandle);
        // The alignment is determined here, because a handle reports it only if the handle is direct.
        int alignment = Math.Max(limits.OffsetBytes ?? FallbackBytes, Math.Max(limits.MemoryBytes ?? FallbackBytes, 1));
        yield return Alignment(limits);
        int errno = limits.OffsetBytes == 0 ? -1 : CapabilityProbe.SetDirect(file.SafeFileHandle, on: true);
        if (errno != 0)
        {
            yield return Finding.No("O_DIRECT",
                errno < 0 ? "the file system has no direct I/O for this file (STATX_DIOALIGN)" : $"refused: {ErrnoText.Of(errno)}",
                "FileCaching.Direct opens Cached, and CachingReason says why");
            yield break;
        }
        yield return Transfers(file, alignment, mayWrite, fileSystem);
        yield return Atomic(file, limits, mayWrite);
        _ = CapabilityProbe.SetDirect(file.SafeFileHandle, on: false);
    }

    private static Finding Alignment(DirectLimits limits) => limits switch
    {
        { OffsetBytes: null } => Finding.Unknown("direct alignment",
            "statx does not tell (before Linux 6.1, or the file system does not)",
            "the device's logical block size is taken, else 4096 bytes"),
        { OffsetBytes: 0 } => Finding.No("direct alignment", "STATX_DIOALIGN: none"),
        _ => Finding.Fact("direct alignment",
            $"memory {limits.MemoryBytes} bytes, offset and length {limits.OffsetBytes} bytes (STATX_DIOALIGN)",
            "callers need none: whole blocks go direct, edges through pooled buffers or the page cache"),
    };

    private static Finding Transfers(SluiceHandle file, int alignment, bool mayWrite, string? fileSystem)
    {
        Memory<byte> block = PinnedBuffer.Allocate(Math.Max(alignment, FallbackBytes));
        int written = mayWrite ? CapabilityProbe.Write(file.SafeFileHandle, block) : 0;
        int read = CapabilityProbe.Read(file.SafeFileHandle, block);
        string tried = $"a block of {block.Length} bytes was {(mayWrite ? "written and read" : "read")}";
        return written == 0 && read == 0
            ? Finding.Yes("O_DIRECT", tried,
                MemoryFileSystem.OfDirect(fileSystem) ?? "FileCaching.Direct goes past the page cache, several requests deep")
            : Finding.No("O_DIRECT",
                $"taken at opening, refused at the transfer: {ErrnoText.Of(written != 0 ? written : read)}",
                "the handle goes on Cached after the first refusal, and CachingReason says so");
    }

    private static Finding Atomic(SluiceHandle file, DirectLimits limits, bool mayWrite)
    {
        const string Instead = "not used: ReplaceAtomicallyAsync writes beside the file and renames";
        if (limits.AtomicMinBytes is not > 0)
        {
            return Finding.No("atomic writes",
                limits.AtomicMinBytes is null ? "statx does not tell of RWF_ATOMIC here"
                    : "STATX_WRITE_ATOMIC: none on this file system and device", Instead);
        }
        string range = $"{limits.AtomicMinBytes} to {limits.AtomicMaxBytes} bytes (STATX_WRITE_ATOMIC)";
        if (!mayWrite)
            return Finding.Fact("atomic writes", range, Instead);
        int errno = CapabilityProbe.WriteAtomically(file.SafeFileHandle, PinnedBuffer.Allocate(limits.AtomicMinBytes.Value));
        return errno == 0
            ? Finding.Yes("atomic writes", $"{range}, tried", Instead)
            : Finding.No("atomic writes", $"{range}, and yet: {ErrnoText.Of(errno)}", Instead);
    }
}
