using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>What is put in a file's place between two looks of a batch: nobody waits for it, and the other files are whole.</summary>
public sealed class BatchSeamTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(3000);

    [SkippableTheory]
    [InlineData("fifo", false)]
    [InlineData("fifo", true)]
    [InlineData("terminal", false)]
    public async Task What_is_put_in_a_files_place_holds_no_batch_up(string kind, bool writes)
    {
        Skip.IfNot(OperatingSystem.IsLinux() && File.Exists("/dev/ptmx"), "the seam is in Linux's calls");
        string path = Temp.NewFile(Content);
        string other = Temp.NewFile(Content);
        int swaps = 0;

        // Somebody has the file for himself at that moment, so that it is opened again.
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call != "flock" || OpenFiles.NameOf(fd) != path || Interlocked.Exchange(ref swaps, 1) != 0)
            {
                return 0;
            }

            File.Delete(path);
            if (kind == "fifo")
            {
                Native.MakeFifo(path);
            }
            else
            {
                File.CreateSymbolicLink(path, "/dev/ptmx");
            }

            return -Errno.EAGAIN;
        });
        FileBatchOptions options = new() { ContinueOnError = true, MaxDegreeOfParallelism = 1 };
        Exception? error = null;
        await Watchdog.EndsAsync(
            async () =>
            {
                if (writes)
                {
                    FileBatchException failed = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.WriteManyAsync(
                        ((string[])[path, other]).Select(static p => (p, (ReadOnlyMemory<byte>)"new"u8.ToArray())), options));
                    error = failed.Failures.ShouldHaveSingleItem().Error;
                    File.ReadAllBytes(other).ShouldBe("new"u8.ToArray());
                    return;
                }

                List<FileReadResult> results = [];
                await foreach (FileReadResult result in SluiceFile.ReadManyAsync([path, other], options))
                {
                    results.Add(result);
                }

                error = results[0].Error;
                results[1].GetContent().ShouldBeBytes(Content);
            },
            kind);
        swaps.ShouldBe(1);
        IOException refused = error.ShouldBeOfType<IOException>();
        refused.Message.ShouldContain(path);
        (kind == "terminal" || refused.Message.Contains("FIFO", StringComparison.Ordinal)).ShouldBeTrue(refused.Message);
    }
}
