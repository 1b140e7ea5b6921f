using System.Security.Cryptography;
using System.Text;
using Sluice.Copying;
using Sluice.Kernel;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>What a shard, or the end, finds at the target: its own work, or somebody else's.</summary>
public sealed partial class ShardedCopyTests
{
    [SkippableFact]
    public async Task What_is_somebody_elses_is_not_replaced_without_consent()
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
        foreach (string name in (string[])["length", "time", "newer", "kind", "link"])
        {
            Write(Path.Combine(source, name), "source");
        }

        Write(Path.Combine(target, "length"), "older and longer");
        Write(Path.Combine(target, "time"), "target");
        File.SetLastWriteTimeUtc(Path.Combine(target, "time"), Then.AddSeconds(-9));
        Write(Path.Combine(target, "newer"), "target");
        File.SetLastWriteTimeUtc(Path.Combine(target, "newer"), Then.AddSeconds(1));
        Directory.CreateDirectory(Path.Combine(target, "kind"));
        File.CreateSymbolicLink(Path.Combine(target, "link"), Path.Combine(_temp.Root, "victim"));
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.CopyAsync(source, target, Going(Part(0, 1))));
        error.Failures.Select(f => Path.GetFileName(f.Path)).Order().ShouldBe(["kind", "length", "link", "newer", "time"]);
        File.ReadAllText(Path.Combine(target, "length")).ShouldBe("older and longer");
        File.ReadAllText(Path.Combine(target, "time")).ShouldBe("target");
        File.Exists(Path.Combine(_temp.Root, "victim")).ShouldBeFalse();

        // The end says so too.
        error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.FinishCopyAsync(source, target, new CopyOptions { ContinueOnError = true }));
        error.Failures.Select(f => Path.GetFileName(f.Path)).Order().ShouldBe(["kind", "length", "link", "newer", "time"]);

        // A folder is never replaced by a file.
        Directory.Delete(Path.Combine(target, "kind"));
        CopyOptions replacing = new() { Recurse = true, Shard = default(Shard), Overwrite = true };
        CopyResult result = await SluiceFile.CopyAsync(source, target, replacing);
        result.Files.ShouldBe(5);
        Hashes(target).ShouldBe(Hashes(source));
        File.Exists(Path.Combine(_temp.Root, "victim")).ShouldBeFalse();
    }

    /// <summary>Who may write in one folder of the copy gets nothing of his into another one by a file that has names in both.</summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_was_put_in_a_names_place_gets_no_further_names(bool isFinish)
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
        foreach (string folder in (string[])["one", "two"])
        {
            Directory.CreateDirectory(Path.Combine(source, folder));
            Directory.CreateDirectory(Path.Combine(target, folder));
        }

        // Without bytes, so that the first report comes when it has its first name.
        Write(Path.Combine(source, "one", "name"), "");
        Native.Link(Path.Combine(source, "one", "name"), Path.Combine(source, "two", "name"));
        string foreign = _temp.NewFile("foreign"u8.ToArray());
        string[] names = [Path.Combine(target, "one", "name"), Path.Combine(target, "two", "name")];
        Telling putting = new(_ =>
        {
            if (File.Exists(foreign) && Array.Find(names, File.Exists) is { } first)
            {
                File.Move(foreign, first, overwrite: true);
            }
        });
        CopyOptions options = new() { Recurse = !isFinish, PreserveMetadata = true, ContinueOnError = true, Progress = putting };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => isFinish
            ? SluiceFile.FinishCopyAsync(source, target, options)
            : SluiceFile.CopyAsync(source, target, options));
        error.Failures.ShouldHaveSingleItem().Error.Message.ShouldContain("something else was put in the place of");
        File.Exists(foreign).ShouldBeFalse();
        names.Count(File.Exists).ShouldBe(1);
    }

    [SkippableFact]
    public async Task What_was_found_is_told_beside_what_failed()
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string below = Directory.CreateDirectory(Path.Combine(source, "below")).FullName;
        foreach (string path in (string[])[Path.Combine(source, "one"), Path.Combine(source, "two"), Path.Combine(below, "three")])
        {
            Write(path, "source");
        }

        Write(Path.Combine(target, "two"), "target and longer");
        CopyProgress last = default;
        CopyOptions shard = new()
        {
            Recurse = true,
            Shard = new Shard(0, 1),
            ContinueOnError = true,
            Progress = new Telling(value => last = value),
        };
        CopyResult first = await CopiedAsync();
        (first.Files, first.UnchangedFiles, first.Folders, first.Bytes).ShouldBe((2, 0, 1, 12));
        CopyResult second = await CopiedAsync();
        (second.Files, second.UnchangedFiles, second.Folders, second.Bytes).ShouldBe((0, 2, 0, 0));
        (last.Files, last.TotalFiles, last.UnchangedFiles).ShouldBe((0, 0, 2));

        async Task<CopyResult> CopiedAsync() =>
            (await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, shard))).Copied.ShouldNotBeNull();
    }

    /// <summary>Some file systems keep whole seconds; one that does not has no such excuse for another time.</summary>
    [SkippableTheory]
    [InlineData(0.4)]
    [InlineData(1.5)]
    public async Task What_was_written_since_is_told_though_the_copy_s_time_is_a_whole_second(double secondsLater)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "trees are copied in shards on Linux");
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = _temp.NewPath();
        string file = Path.Combine(source, "file");
        DateTime even = new(2026, 1, 2, 3, 4, 6, DateTimeKind.Utc);
        File.WriteAllText(file, "before");
        File.SetLastWriteTimeUtc(file, even);
        await SluiceFile.CopyAsync(source, target, Going(Part(0, 1)));
        DateTime now = File.GetLastWriteTimeUtc(_temp.NewFile("any"u8.ToArray()));
        Skip.If(now.Ticks % TimeSpan.TicksPerSecond == 0, "this file system keeps seconds");
        File.WriteAllText(file, "behind");
        File.SetLastWriteTimeUtc(file, even.AddSeconds(secondsLater));
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(source, target));
        error.Message.ShouldContain("another time");
    }

    /// <summary>Length and time, and what a link says, are what anybody may make.</summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_is_another_user_s_is_no_earlier_work(bool preserves)
    {
        Skip.IfNot(Environment.IsPrivilegedProcess, "files of other users are root's to make");
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
        foreach (string folder in (string[])[source, target])
        {
            Write(Path.Combine(folder, "file"), folder == source ? "right" : "wrong");
            File.CreateSymbolicLink(Path.Combine(folder, "link"), "anywhere");
            Native.MakeFifo(Path.Combine(folder, "fifo"));
        }

        Run("chown", "-hR", "12345", target);
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.CopyAsync(source, target, Going(Part(0, 1, preserves))));
        error.Failures.Select(f => Path.GetFileName(f.Path)).Order().ShouldBe(["fifo", "file", "link"]);
        if (preserves)
        {
            // Names of one file come at the end, and are looked at as well.
            await Should.ThrowAsync<FileBatchException>(() => EndAsync("file"));
            Run("chown", "-h", "12345", Path.Combine(source, "fifo"), Path.Combine(source, "link"));
            CopyResult own = await SluiceFile.CopyAsync(source, target, Part(0, 1, preserves));
            own.UnchangedFiles.ShouldBe(2);
        }

        Task<CopyResult> EndAsync(string name)
        {
            Native.Link(Path.Combine(source, name), Path.Combine(source, $"name of {name}"));
            return SluiceFile.FinishCopyAsync(source, target, new CopyOptions { PreserveMetadata = true });
        }
    }

    /// <summary>In whatever order the folder gives them; and where an end was killed, or has been before.</summary>
    [SkippableFact]
    public async Task Names_that_a_file_gets_after_its_copy_are_names_of_the_copy()
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = _temp.NewPath();
        string[] names = [.. Enumerable.Range(0, 16).Select(i => $"f{i}")];
        foreach (string name in names)
        {
            Write(Path.Combine(source, name), name);
        }

        await SluiceFile.CopyAsync(source, target, Part(0, 1, preserves: true));
        foreach (string name in names)
        {
            Native.Link(Path.Combine(source, name), Path.Combine(source, $"name of {name}"));
        }

        CopyOptions whole = new() { PreserveMetadata = true };
        (await SluiceFile.FinishCopyAsync(source, target, whole)).Files.ShouldBe(16);
        ShouldBeAlike(target, source, preserves: true);
        foreach (string name in names)
        {
            File.Delete(Path.Combine(target, name));
        }

        // Copied by itself: it has no other names in the source that the shard sees.
        Run("cp", "-a", Path.Combine(source, "f1"), Path.Combine(target, "f1"));
        (await SluiceFile.FinishCopyAsync(source, target, whole)).Files.ShouldBe(16);
        ShouldBeAlike(target, source, preserves: true);
    }

    /// <summary>Another file of the user's may have the length and the time of the file whose name it has.</summary>
    [SkippableTheory]
    [InlineData("right", "wrong", false)]
    [InlineData("wrong", "right", false)]
    [InlineData("wrong", null, false)]
    [InlineData(null, "wrong", false)]
    [InlineData("wrong", "wrong", false)]
    [InlineData("right", "wrong", true)]
    [InlineData("wrong", null, true)]
    public async Task What_has_a_further_name_s_place_is_replaced_only_if_it_is_the_same(string? first, string? second, bool skips)
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
        Write(Path.Combine(source, "first"), "right");
        Native.Link(Path.Combine(source, "first"), Path.Combine(source, "second"));
        (string Name, string? There)[] names = [("first", first), ("second", second)];
        foreach ((string name, string? there) in names.Where(n => n.There is not null))
        {
            Write(Path.Combine(target, name), there!);
        }

        CopyOptions whole = new() { PreserveMetadata = true, ContinueOnError = true, SkipUnchanged = skips };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(source, target, whole));
        error.Failures.ShouldAllBe(f => f.Error.Message.Contains("there already"));
        error.Failures.Select(f => Path.GetFileName(f.Path)).Order()
            .ShouldBe(names.Where(n => n.There == "wrong").Select(n => n.Name));
        foreach ((string name, string? there) in names)
        {
            File.ReadAllText(Path.Combine(target, name)).ShouldBe(there ?? "right");
        }

        await SluiceFile.FinishCopyAsync(source, target, new CopyOptions { PreserveMetadata = true, Overwrite = true });
        ShouldBeAlike(target, source, preserves: true);
    }

    /// <summary>Skipping what is unchanged goes before replacing: what is the same stays, what has length and time only does not.</summary>
    [SkippableFact]
    public async Task What_has_several_names_and_is_unchanged_is_not_made_anew()
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = _temp.NewPath();
        Write(Path.Combine(source, "first"), "right");
        Native.Link(Path.Combine(source, "first"), Path.Combine(source, "second"));
        await SluiceFile.CopyAsync(source, target, Part(0, 1, preserves: true));
        CopyOptions updating = new() { PreserveMetadata = true, SkipUnchanged = true, Overwrite = true };
        (await SluiceFile.FinishCopyAsync(source, target, updating)).Files.ShouldBe(2);
        ulong made = Native.NumberOf(Path.Combine(target, "first"));
        (await SluiceFile.FinishCopyAsync(source, target, updating)).UnchangedFiles.ShouldBe(2);
        Native.NumberOf(Path.Combine(target, "first")).ShouldBe(made);
        foreach (string name in (string[])["first", "second"])
        {
            File.Delete(Path.Combine(target, name));
            Write(Path.Combine(target, name), "wrong");
            await SluiceFile.FinishCopyAsync(source, target, updating);
            ShouldBeAlike(target, source, preserves: true);
        }
    }

    [SkippableFact]
    public async Task An_end_that_is_cancelled_removes_no_more_leftovers()
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = _temp.NewPath();
        Directory.CreateDirectory(Path.Combine(source, "below"));
        Write(Path.Combine(source, "file"), "right");
        Write(Path.Combine(source, "below", "file"), "right");
        await SluiceFile.CopyAsync(source, target, Part(0, 1));
        File.WriteAllText(Path.Combine(target, ".file.0123456789abcdef.sluice-tmp"), "half");
        string last = Path.Combine(target, "below", ".file.0123456789abcdef.sluice-tmp");
        File.WriteAllText(last, "half");
        using CancellationTokenSource stop = new();
        int asked = 0;
        CopyOptions options = new()
        {
            Exclude = _ =>
            {
                // The fourth time it is about what was left: the walk has asked three times.
                if (++asked == 4)
                {
                    stop.Cancel();
                }

                return false;
            },
        };
        await Should.ThrowAsync<OperationCanceledException>(() => SluiceFile.FinishCopyAsync(source, target, options, stop.Token));
        asked.ShouldBe(4);
        File.Exists(last).ShouldBeTrue();
    }

    /// <summary>When all is there; of this copy alone, and nothing that is being written.</summary>
    [SkippableFact]
    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    public async Task What_killed_processes_left_goes_with_the_end()
    {
        const string random = "0123456789abcdef.sluice-tmp";
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = _temp.NewPath();
        Directory.CreateDirectory(Path.Combine(source, "below"));
        string longName = new('x', 250);
        string shortened = Convert.ToHexStringLower(SHA256.HashData(Encoding.ASCII.GetBytes(longName)));
        string[] parts = ["file", "left out", $".file.1{random[1..]}", longName, "below/file"];
        foreach (string name in parts)
        {
            Write(Path.Combine(source, name), name);
        }

        CopyOptions shard = new() { Recurse = true, Shard = default(Shard), PreserveMetadata = true, Exclude = n => n == "left out" };
        CopyOptions whole = new() { PreserveMetadata = true, Exclude = n => n == "left out" };
        await SluiceFile.CopyAsync(source, target, shard);
        string[] gone = [$".file.{random}", $".{shortened}.{random}", $"below/.file.{random}"];
        string[] kept = [$".other.{random}", $".left out.{random}", $".file.{random[2..]}", ".file.sluice-tmp", $"file.{random}"];
        foreach (string name in gone.Concat(kept))
        {
            File.WriteAllText(Path.Combine(target, name), "half");
        }

        using TargetLocation location = TargetLocation.Open(Path.Combine(target, "file"), "Copying");
        using TemporaryFile written = TemporaryFile.Create(location.Path, ModeBits.OwnerReadWrite);
        written.GiveName();

        // What is missing is to be seen before anything is changed.
        File.Delete(Path.Combine(target, longName));
        await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(source, target, whole));
        Leftovers(target).Count().ShouldBe(gone.Length + kept.Length + 2);
        await SluiceFile.CopyAsync(source, target, shard);
        await SluiceFile.FinishCopyAsync(source, target, whole);
        Leftovers(target).Count().ShouldBe(kept.Length + 2);
        foreach (string name in kept.Concat(parts).Where(n => n != "left out"))
        {
            File.Exists(Path.Combine(target, name)).ShouldBeTrue(name);
        }

        Directory.GetLastWriteTimeUtc(Path.Combine(target, "below")).ShouldBe(
            Directory.GetLastWriteTimeUtc(Path.Combine(source, "below")));
    }

    [SkippableFact]
    public async Task Verifying_looks_into_what_is_there()
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
        Write(Path.Combine(source, "same"), "right");
        Write(Path.Combine(source, "other"), "right");
        Write(Path.Combine(target, "same"), "right");
        Write(Path.Combine(target, "other"), "wrong");
        CopyResult trusting = await SluiceFile.CopyAsync(source, target, Part(0, 1));
        trusting.UnchangedFiles.ShouldBe(2);
        CopyOptions verifying = new() { Recurse = true, Shard = new Shard(0, 1), Verify = true, ContinueOnError = true };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, verifying));
        Path.GetFileName(error.Failures.Single().Path).ShouldBe("other");
    }
}
