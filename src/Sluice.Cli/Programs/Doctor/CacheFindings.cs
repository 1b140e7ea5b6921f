using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Doctor;

/// <summary>What transfers through the page cache can be asked for.</summary>
internal static class CacheFindings
{
    private const int ProbeBytes = 4096;

    public static IEnumerable<Finding> Collect(SluiceHandle file, bool mayWrite)
    {
        byte[] buffer = new byte[ProbeBytes];
        int read = CapabilityProbe.ReadUncached(file.SafeFileHandle, buffer);
        int written = mayWrite ? CapabilityProbe.WriteUncached(file.SafeFileHandle, buffer) : 0;
        yield return read == 0 && written == 0
            ? new Finding("uncached (RWF_DONTCACHE)", FindingState.Yes, $"{(mayWrite ? "reads and writes" : "reads")} tried",
                "FileCaching.Uncached has the kernel drop the pages that a transfer brought")
            : new Finding("uncached (RWF_DONTCACHE)", FindingState.No, ErrnoText.Of(read != 0 ? read : written),
                "FileCaching.Uncached drops pages behind the transfer by POSIX_FADV_DONTNEED");

        int noWaitRead = CapabilityProbe.ReadNoWait(file.SafeFileHandle, buffer);
        yield return noWaitRead == 0
            ? new Finding("reads without waiting", FindingState.Yes, "RWF_NOWAIT tried",
                "ReadAsync takes what is in memory on the caller's thread")
            : new Finding("reads without waiting", FindingState.No, $"RWF_NOWAIT: {ErrnoText.Of(noWaitRead)}",
                "every ReadAsync goes to the engine");
        if (!mayWrite)
            yield break;
        int noWaitWrite = CapabilityProbe.WriteNoWait(file.SafeFileHandle, buffer);
        yield return noWaitWrite == 0
            ? new Finding("writes without waiting", FindingState.Yes, "RWF_NOWAIT tried", "WriteAsync tries it first")
            : new Finding("writes without waiting", FindingState.No, $"RWF_NOWAIT: {ErrnoText.Of(noWaitWrite)}",
                "WriteAsync writes on the caller's thread while writes have been quick, on the pool after a slow one");
    }
}
