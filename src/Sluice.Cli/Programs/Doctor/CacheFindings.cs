using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Doctor;

/// <summary>Tests the features of transfers through the page cache.</summary>
internal static class CacheFindings
{
    private const int ProbeBytes = 4096;

    public static IEnumerable<Finding> Collect(SluiceHandle file, bool mayWrite)
    {
        byte[] buffer = new byte[ProbeBytes];
        int read = CapabilityProbe.ReadUncached(file.SafeFileHandle, buffer);
        int written = mayWrite ? CapabilityProbe.WriteUncached(file.SafeFileHandle, buffer) : 0;
        yield return Finding.Tried(
            "uncached (RWF_DONTCACHE)", read != 0 ? read : written, $"{(mayWrite ? "reads and writes" : "reads")} tried",
            "FileCaching.Uncached has the kernel drop the pages that a transfer brought",
            "FileCaching.Uncached drops pages behind the transfer by POSIX_FADV_DONTNEED");
        yield return Finding.Tried(
            "reads without waiting", CapabilityProbe.ReadNoWait(file.SafeFileHandle, buffer), "RWF_NOWAIT tried",
            "ReadAsync takes what is in memory on the caller's thread", "every ReadAsync goes to the engine, except on tmpfs",
            "RWF_NOWAIT: ");
    }
}
