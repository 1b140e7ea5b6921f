using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>What is put in a file's place before a scan opens it.</summary>
public sealed class ScanSeamTests : HostileTests
{
    /// <summary>There is no file for a moment, as somebody who looks at its name sees, and then there is a FIFO.</summary>
    [LinuxFact]
    public async Task A_FIFO_that_comes_between_is_refused()
    {
        string path = Temp.NewFile(1000);
        int swaps = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call is not ("statx" or "openat") || fd != PathCalls.CurrentFolder || Interlocked.Exchange(ref swaps, 1) != 0)
            {
                return 0;
            }

            File.Delete(path);
            Native.MakeFifo(path);
            return call == "statx" ? -Errno.ENOENT : 0;
        });
        NotSupportedException? error = null;
        await Watchdog.EndsAsync(
            async () => error = await Should.ThrowAsync<NotSupportedException>(async () =>
            {
                await foreach (int part in SluiceReader.ScanAsync(path, static part => part.Bytes.Length))
                {
                    part.ShouldBe(-1);
                }
            }),
            "the scan");
        error!.Message.ShouldContain(path);
        swaps.ShouldBe(1);
    }

    public override void Dispose()
    {
        SystemCallFaults.Use(null);
        base.Dispose();
    }
}
