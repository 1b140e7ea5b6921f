using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Copies in shards where system calls fail, and between two of them.</summary>
public sealed class ShardSeamTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(30_000);

    public ShardSeamTests() => Skip.IfNot(OperatingSystem.IsLinux(), "copies in shards are Linux's");

    public override void Dispose()
    {
        SystemCallFaults.Use(null);
        base.Dispose();
    }

    /// <summary>Of a folder that its user may go through and not list (mode 0300) there is no descriptor that could be flushed.</summary>
    [SkippableTheory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task What_is_to_be_on_the_disk_is_flushed_where_the_folder_above_may_not_be_opened(int step)
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string target = Temp.NewPath();
        File.WriteAllBytes(Path.Combine(source, "file"), Content);
        CopyOptions options = new() { Recurse = true, FlushToDisk = true };
        CopyOptions shard = new() { Recurse = true, FlushToDisk = true, Shard = default(Shard) };
        string link = Temp.NewPath();
        File.CreateSymbolicLink(link, "anywhere");
        if (step == 1)
        {
            await SluiceFile.CopyAsync(source, target, shard);
        }

        int refused = 0;
        int flushed = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            // The folder above is opened last, to flush it; a link's is opened for nothing else.
            bool isAbove = call == "openat" && (step == 2 || flushed > 0) && new FileInfo($"/proc/self/fd/{fd}").LinkTarget == Temp.Root;
            flushed += call == "syncfs" ? 1 : 0;
            refused += isAbove ? 1 : 0;
            return isAbove && refused == 1 ? -Errno.EACCES : 0;
        });
        await (step switch
        {
            0 => SluiceFile.CopyAsync(source, target, shard),
            1 => SluiceFile.FinishCopyAsync(source, target, options),
            _ => SluiceFile.CopyAsync(link, target, options),
        });
        SystemCallFaults.Use(null);
        (refused, flushed).ShouldBe(step < 2 ? (1, 2) : (2, 1));
    }
}
