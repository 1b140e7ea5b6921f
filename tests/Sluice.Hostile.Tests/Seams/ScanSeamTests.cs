using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>What is put in a file's place before a scan opens it.</summary>
public sealed class ScanSeamTests : HostileTests
{
    /// <summary>There is no file for a moment, as somebody who looks at its name sees, and then there is a FIFO.</summary>
    [SkippableFact]
    public async Task A_FIFO_that_comes_between_is_refused()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
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

    /// <summary>The others wait until the part that failed is handed out, which it never is: they are to be told.</summary>
    [SkippableFact]
    public async Task A_scan_ends_also_where_there_is_no_memory_to_tell_its_error_at_first()
    {
        SkipWithoutSeams();
        string path = Temp.NewFile(100_000);
        int failed = 0;
        int lacks = 0;
        Seam.Use(kind =>
        {
            if (kind == SeamKind.Wait
                && Volatile.Read(ref failed) == Environment.CurrentManagedThreadId && Interlocked.Exchange(ref lacks, 1) == 0)
            {
                throw new OutOfMemoryException();
            }
        });
        SluiceScanOptions options = new() { Degree = 2, PartSize = 100, RecordSize = 100, Ordered = true };
        InvalidDataException? error = null;
        await Watchdog.EndsAsync(
            async () => error = await Should.ThrowAsync<InvalidDataException>(async () =>
            {
                await foreach (long part in SluiceReader.ScanAsync(path, Work, options))
                {
                    part.ShouldBeLessThan(5000);
                }
            }),
            "the scan");
        error!.Message.ShouldBe("of the callback");
        lacks.ShouldBe(1);

        long Work(ScanPart part)
        {
            if (part.Offset != 5000)
            {
                return part.Offset;
            }

            Volatile.Write(ref failed, Environment.CurrentManagedThreadId);
            throw new InvalidDataException("of the callback");
        }
    }

    public override void Dispose()
    {
        Seam.Use(null);
        base.Dispose();
    }
}
