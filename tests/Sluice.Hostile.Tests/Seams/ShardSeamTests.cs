using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Copies in shards where system calls fail, and between two of them.</summary>
public sealed class ShardSeamTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(30_000);

    public ShardSeamTests() => Skip.IfNot(OperatingSystem.IsLinux(), "copies in shards are Linux's");

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

    /// <summary>GlusterFS answers EINVAL to renameat2 with RENAME_NOREPLACE.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Links_with_their_metadata_are_copied_where_a_name_cannot_be_given_by_renaming_only(bool isTaken)
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(Temp.NewPath()).FullName;
        File.CreateSymbolicLink(Path.Combine(source, "link"), "nowhere");
        if (isTaken)
        {
            File.WriteAllText(Path.Combine(target, "link"), "somebody else's");
        }

        int refused = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            refused += call == "renameat2" ? 1 : 0;
            return call == "renameat2" ? -Errno.EINVAL : 0;
        });
        CopyOptions options = new() { Recurse = true, PreserveMetadata = true, Shard = default(Shard) };
        Exception? error = await Record.ExceptionAsync(() => SluiceFile.CopyAsync(source, target, options));
        SystemCallFaults.Use(null);
        refused.ShouldBeGreaterThan(0);
        (error is IOException).ShouldBe(isTaken, error?.ToString());
        new FileInfo(Path.Combine(target, "link")).LinkTarget.ShouldBe(isTaken ? null : "nowhere");
        Directory.EnumerateFileSystemEntries(target).Count().ShouldBe(1);
    }

    /// <summary>Who may write in one folder of the copy exchanges its name when the copy is held, and about to get the other one.</summary>
    [SkippableFact]
    public async Task A_copy_that_has_just_lost_its_last_name_gives_no_name_to_what_took_it()
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string[] folders = ["one", "two"];
        foreach (string folder in folders)
        {
            Directory.CreateDirectory(Path.Combine(source, folder));
            Directory.CreateDirectory(Path.Combine(target, folder));
        }

        File.WriteAllBytes(Path.Combine(source, "one", "name"), Content);
        Native.Link(Path.Combine(source, "one", "name"), Path.Combine(source, "two", "name"));
        string foreign = Temp.NewFile("foreign"u8.ToArray());
        string[] names = [.. folders.Select(f => Path.Combine(target, f, "name"))];
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "linkat" && File.Exists(foreign) && Array.Find(names, File.Exists) is { } first)
            {
                File.Move(foreign, first, overwrite: true);
            }

            return 0;
        });
        Exception? error = await Record.ExceptionAsync(
            () => SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, PreserveMetadata = true }));
        SystemCallFaults.Use(null);
        File.Exists(foreign).ShouldBeFalse("else nothing was seen");
        error.ShouldBeAssignableTo<IOException>();
        names.Count(File.Exists).ShouldBe(1);
    }

    [SkippableFact]
    public async Task A_file_that_another_run_of_the_shard_makes_meanwhile_is_counted_once()
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string target = Temp.NewPath();
        File.WriteAllBytes(Path.Combine(source, "file"), Content);
        CopyProgress last = default;
        CopyOptions options = new() { Recurse = true, Shard = default(Shard), Progress = new Last(p => last = p) };
        int others = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            // Copied, and about to get its name.
            if (call is "linkat" or "renameat2" && Interlocked.Exchange(ref others, 1) == 0)
            {
                File.Copy(Path.Combine(source, "file"), Path.Combine(target, "file"));
            }

            return 0;
        });
        CopyResult result = await SluiceFile.CopyAsync(source, target, options);
        SystemCallFaults.Use(null);
        (others, result.Files, result.UnchangedFiles, result.Bytes).ShouldBe((1, 0, 1, 0));
        last.ShouldBe(new CopyProgress(0, 0, 0, 0) { UnchangedFiles = 1 }, "it was found, looked at, and copied by another");
    }

    /// <summary>Files of mode 0200 may not be read by their owner, who made them.</summary>
    [SkippableFact]
    public async Task What_an_earlier_run_made_is_not_opened()
    {
        string source = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string target = Temp.NewPath();
        File.WriteAllBytes(Path.Combine(source, "file"), Content);
        CopyOptions options = new() { Recurse = true, Shard = default(Shard) };
        await SluiceFile.CopyAsync(source, target, options);
        int opened = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            opened += call == "openat" && new FileInfo($"/proc/self/fd/{fd}").LinkTarget == target ? 1 : 0;
            return 0;
        });
        CopyResult again = await SluiceFile.CopyAsync(source, target, options);
        SystemCallFaults.Use(null);
        again.UnchangedFiles.ShouldBe(1);

        // The folder itself, from its own descriptor.
        opened.ShouldBe(1);
    }

    private sealed class Last(Action<CopyProgress> told) : IProgress<CopyProgress>
    {
        public void Report(CopyProgress value) => told(value);
    }
}
