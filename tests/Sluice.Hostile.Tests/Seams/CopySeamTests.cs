using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>What happens to a source between two system calls of a copy: the copy is what was read, or says what was not.</summary>
public sealed class CopySeamTests : HostileTests
{
    private const int Left = 5000;
    private static readonly byte[] Content = Bytes.Pattern(700_000);

    public override void Dispose()
    {
        SystemCallFaults.Use(null);
        base.Dispose();
    }

    [SkippableTheory]
    [InlineData("lseek SEEK_DATA", CopyMethod.Buffered, 0)]
    [InlineData("lseek SEEK_DATA", CopyMethod.CopyFileRange, Left)]
    [InlineData("lseek SEEK_DATA", CopyMethod.Direct, Left)]
    [InlineData("lseek SEEK_HOLE", CopyMethod.Buffered, 0)]
    [InlineData("lseek SEEK_HOLE", CopyMethod.Direct, 0)]
    public async Task A_source_that_is_cut_has_no_hole_behind_its_end(string at, CopyMethod method, int left)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        string source = Temp.NewFile(Content);
        string target = Temp.NewPath();
        int cuts = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == at && Interlocked.Exchange(ref cuts, 1) == 0)
            {
                using FileStream file = new(source, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
                file.SetLength(left);
            }

            return 0;
        });
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Method = method, Depth = 2 });
        SystemCallFaults.Use(null);
        cuts.ShouldBe(1);
        File.ReadAllBytes(target).ShouldBeBytes(Content.AsSpan(0, left));
        (result.Bytes, result.ChangedFiles).ShouldBe((left, 1));
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_that_is_put_in_a_FIFOs_place_is_no_empty_file(bool keeps)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string node = Path.Combine(source, "node");
        Native.MakeFifo(node);
        int reads = 0;
        int swaps = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            // The folder has been read to its end, and its entries are looked at.
            reads += call == "getdents64" && TargetOf(fd) == source ? 1 : 0;
            if (call == "statx" && reads >= 2 && TargetOf(fd) == source && Interlocked.Exchange(ref swaps, 1) == 0)
            {
                File.Delete(node);
                File.WriteAllBytes(node, Content);
            }

            return 0;
        });
        CopyOptions options = new() { Recurse = true, PreserveMetadata = keeps };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, Temp.NewPath(), options));
        SystemCallFaults.Use(null);
        swaps.ShouldBe(1);
        error.Failures.ShouldHaveSingleItem().Path.ShouldBe(node);
        Directory.GetFileSystemEntries(Temp.Root).ShouldBe([source]);
    }

    [SkippableFact]
    public async Task Nothing_reads_the_source_when_a_verified_copy_has_ended()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        string source = Temp.NewFile(Content);
        int failures = 0;
        int reading = 0;
        bool isVerifying = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            // Written to the disk: from here on both are read again.
            isVerifying |= call == "fsync";
            if (!isVerifying || call is not ("preadv2" or "preadv" or "pread" or "ring Read"))
            {
                return 0;
            }

            if (TargetOf(fd) != source)
            {
                // What is read back of the copy.
                Interlocked.Increment(ref failures);
                return -Errno.EIO;
            }

            Interlocked.Increment(ref reading);
            Thread.Sleep(500);
            Interlocked.Decrement(ref reading);
            return 0;
        });
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, Temp.NewPath(), new CopyOptions { Verify = true }));
        int still = Volatile.Read(ref reading);
        SystemCallFaults.Use(null);
        failures.ShouldBeGreaterThan(0);
        still.ShouldBe(0, "the source is read on, by a number that may be another file's now");
    }

    private static string? TargetOf(int fd) => fd < 0 ? null : new FileInfo($"/proc/self/fd/{fd}").LinkTarget;
}
