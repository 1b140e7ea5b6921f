using System.Runtime.Versioning;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>Several processes copy one tree; here they are calls, in the tests of the tool processes.</summary>
[Trait("Tier", "slow")]
[UnsupportedOSPlatform("windows")]
public sealed partial class ShardedCopyTests : IDisposable
{
    private static readonly DateTime Then = new(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc);

    private readonly TempFolder _temp = new();

    public ShardedCopyTests() => Skip.IfNot(OperatingSystem.IsLinux(), "copies in shards are Linux's");

    public void Dispose()
    {
        // Names that are no text are beyond .NET.
        Run("sh", "-c", "rm -rf \"$0\"/*", _temp.Root);
        _temp.Dispose();
    }

    [SkippableTheory]
    [InlineData(1, false)]
    [InlineData(20, true)]
    public async Task All_shards_and_the_end_make_what_a_copy_makes(int count, bool preserves)
    {
        string source = MakeTree();
        (string expected, string actual) = (_temp.NewPath(), _temp.NewPath());
        CopyOptions whole = new() { Recurse = true, PreserveMetadata = preserves };
        CopyResult all = await SluiceFile.CopyAsync(source, expected, whole);
        int files = 0;
        for (int index = 0; index < count; index++)
        {
            CopyResult part = await SluiceFile.CopyAsync(source, actual, Part(index, count, preserves));
            part.UnchangedFiles.ShouldBe(0);
            files += part.Files;
        }

        CopyResult end = await SluiceFile.FinishCopyAsync(source, actual, whole);
        (files + end.Files).ShouldBe(all.Files);
        end.UnchangedFiles.ShouldBe(files);
        end.Folders.ShouldBe(all.Folders);
        ShouldBeAlike(actual, expected, preserves);

        // Once more changes nothing.
        CopyResult again = await SluiceFile.FinishCopyAsync(source, actual, whole);
        again.Files.ShouldBe(0);
        ShouldBeAlike(actual, expected, preserves);
    }

    [SkippableFact]
    public async Task A_shard_that_is_run_twice_at_once_is_run_once()
    {
        string source = MakeTree();
        (string expected, string actual) = (_temp.NewPath(), _temp.NewPath());
        CopyOptions whole = new() { Recurse = true, PreserveMetadata = true };
        await SluiceFile.CopyAsync(source, expected, whole);
        for (int round = 0; round < 2; round++)
        {
            CopyResult[] results = await Task.WhenAll(
                Enumerable.Range(0, 6).Select(i => SluiceFile.CopyAsync(source, actual, Part(i % 2, 2, preserves: true))));
            CopyResult end = await SluiceFile.FinishCopyAsync(source, actual, whole);
            results.Sum(r => r.Files).ShouldBe(end.UnchangedFiles);
            results.Sum(r => r.Bytes).ShouldBe(BytesOfPlain(source));
            ShouldBeAlike(actual, expected, preserves: true);
            Run("rm", "-rf", actual);
        }
    }

    /// <summary>Whatever the first run has come to, the second one makes what is missing and no more.</summary>
    [SkippableFact]
    public async Task A_shard_that_was_ended_is_run_again()
    {
        string source = MakeTree();
        string expected = _temp.NewPath();
        CopyOptions whole = new() { Recurse = true, PreserveMetadata = true };
        await SluiceFile.CopyAsync(source, expected, whole);
        foreach (int end in (int[])[1, 60])
        {
            string actual = _temp.NewPath();
            using CancellationTokenSource stop = new();
            int entries = 0;
            CopyOptions first = new()
            {
                Recurse = true,
                Shard = new Shard(0, 2),
                PreserveMetadata = true,
                Exclude = _ =>
                {
                    if (++entries == end)
                    {
                        stop.Cancel();
                    }

                    return false;
                },
            };
            await Should.ThrowAsync<OperationCanceledException>(() => SluiceFile.CopyAsync(source, actual, first, stop.Token));
            await SluiceFile.CopyAsync(source, actual, Part(1, 2, preserves: true));
            Exception? missing = await Record.ExceptionAsync(() => SluiceFile.FinishCopyAsync(source, actual, Going(whole)));
            if (end == 1)
            {
                missing.ShouldBeOfType<FileBatchException>().Failures.ShouldAllBe(f => f.Error is FileNotFoundException);
            }

            CopyResult second = await SluiceFile.CopyAsync(source, actual, Part(0, 2, preserves: true));
            second.Files.ShouldBe((missing as FileBatchException)?.Failures.Count ?? 0);
            await SluiceFile.FinishCopyAsync(source, actual, whole);
            ShouldBeAlike(actual, expected, preserves: true);
            Leftovers(actual).ShouldBeEmpty();
        }
    }

    [SkippableFact]
    public async Task Shards_of_different_counts_leave_gaps_that_the_end_sees()
    {
        string source = MakeTree();
        string target = _temp.NewPath();
        await SluiceFile.CopyAsync(source, target, Part(0, 2));
        await SluiceFile.CopyAsync(source, target, Part(1, 3));
        string[] before = Listing(target, "%P|%m|%T@\n");
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.FinishCopyAsync(source, target, new CopyOptions { ContinueOnError = true, PreserveMetadata = true }));
        error.Failures.ShouldAllBe(f => f.Error.Message.EndsWith("is missing; its shard has to be run again."));
        error.Failures.Count.ShouldBeGreaterThan(10);
        Listing(target, "%P|%m|%T@\n").ShouldBe(before);
    }

    [SkippableFact]
    public async Task The_end_sees_what_is_not_as_its_source()
    {
        string source = MakeTree();
        string target = _temp.NewPath();
        CopyOptions whole = new() { ContinueOnError = true, PreserveMetadata = true };
        await SluiceFile.CopyAsync(source, target, Part(0, 1, preserves: true));
        await SluiceFile.FinishCopyAsync(source, target, whole);
        File.AppendAllText(Path.Combine(target, "f5"), "x");
        File.Delete(Path.Combine(target, "link"));
        File.CreateSymbolicLink(Path.Combine(target, "link"), "elsewhere");
        File.Delete(Path.Combine(target, "fifo"));
        File.WriteAllText(Path.Combine(target, "fifo"), "");
        Directory.Delete(Path.Combine(target, "empty"));
        File.SetLastWriteTimeUtc(Path.Combine(source, "f2"), Then.AddHours(1));
        Run("rm", "-rf", Path.Combine(target, "deep"));
        File.CreateSymbolicLink(Path.Combine(target, "deep"), Path.Combine(source, "deep"));
        FileBatchException error =
            await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(source, target, whole));
        error.Failures.Select(f => Path.GetRelativePath(source, f.Path)).Order(StringComparer.Ordinal)
            .ShouldBe(["deep", "empty", "f2", "f5", "fifo", "link"]);
    }

    [SkippableFact]
    public async Task What_makes_no_sense_is_refused_and_changes_nothing()
    {
        string source = MakeTree();
        string file = _temp.NewFile(100);
        string link = _temp.NewPath();
        File.CreateSymbolicLink(link, source);
        string[] before = Listing(source, Everything);
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(file, _temp.NewPath(), Part(0, 2)));
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(link, _temp.NewPath(), Part(0, 2)));
        await Should.ThrowAsync<DirectoryNotFoundException>(() => SluiceFile.CopyAsync(_temp.NewPath(), _temp.NewPath(), Part(0, 2)));
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, source, Part(0, 2)));
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, Path.Combine(source, "inside"), Part(0, 2)));
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, file, Part(0, 2)));
        await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, link, Part(0, 2)));
        await Should.ThrowAsync<DirectoryNotFoundException>(() => SluiceFile.FinishCopyAsync(source, _temp.NewPath()));
        await Should.ThrowAsync<ArgumentException>(() => SluiceFile.CopyAsync(source, file, new CopyOptions { Shard = new Shard(0, 2) }));
        await Should.ThrowAsync<ArgumentException>(() => SluiceFile.FinishCopyAsync(source, file, Part(0, 2)));
        Listing(source, Everything).ShouldBe(before);
    }

    /// <summary>
    /// Folders that their owner may not write to are made so that the shards can, and get their modes in the end, whatever a set-group-ID
    /// folder around them has given them; those that were there have theirs.
    /// </summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Folders_get_their_modes_at_the_end(bool preserves)
    {
        const UnixFileMode shut = UnixFileMode.UserRead | UnixFileMode.UserExecute;
        const UnixFileMode open = shut | UnixFileMode.UserWrite;
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        foreach (string name in (string[])["shut", "there"])
        {
            string inside = Directory.CreateDirectory(Path.Combine(source, name)).FullName;
            Write(Path.Combine(inside, "file"), "inside");
            File.SetUnixFileMode(inside, shut);
        }

        File.SetUnixFileMode(source, shut);
        string above = Directory.CreateDirectory(_temp.NewPath()).FullName;
        File.SetUnixFileMode(above, open | UnixFileMode.SetGroup);
        string target = Path.Combine(above, "target");
        await SluiceFile.CopyAsync(source, target, Part(0, 2, preserves));
        string there = Path.Combine(target, "there");
        Run("rm", "-r", there);
        Directory.CreateDirectory(there);
        File.SetUnixFileMode(there, open);
        await SluiceFile.CopyAsync(source, target, Part(0, 2, preserves));
        await SluiceFile.CopyAsync(source, target, Part(1, 2, preserves));
        string made = Path.Combine(target, "shut");
        UnixFileMode group = preserves ? UnixFileMode.None : UnixFileMode.SetGroup;
        (File.GetUnixFileMode(target) & open, File.GetUnixFileMode(made) & open).ShouldBe((open, open));
        CopyOptions whole = new() { PreserveMetadata = preserves };
        await SluiceFile.FinishCopyAsync(source, target, whole);
        ShouldHaveModes();
        Native.GetAttribute(made, "user.sluice.shard").ShouldBeNull();

        // What its owner has opened since stays open.
        if (!preserves)
        {
            File.SetUnixFileMode(made, open | group);
            await SluiceFile.FinishCopyAsync(source, target, whole);
            File.GetUnixFileMode(made).ShouldBe(open | group);
        }

        Run("chmod", "-R", "u+w", source, target);

        void ShouldHaveModes()
        {
            File.GetUnixFileMode(target).ShouldBe(shut | group);
            File.GetUnixFileMode(made).ShouldBe(shut | group);
            File.GetUnixFileMode(there).ShouldBe(preserves ? shut : open);
        }
    }

    private static CopyOptions Part(int index, int count, bool preserves = false) => new()
    {
        Recurse = true,
        Shard = new Shard(index, count),
        PreserveMetadata = preserves,
    };

    private static CopyOptions Going(CopyOptions options) => new()
    {
        Recurse = true,
        Shard = options.Shard,
        PreserveMetadata = options.PreserveMetadata,
        ContinueOnError = true,
    };

    private static void Write(string path, string text)
    {
        File.WriteAllText(path, text);
        File.SetLastWriteTimeUtc(path, Then);
    }

    /// <summary>Of files that have one name: the others are left to the end.</summary>
    private static long BytesOfPlain(string root) =>
        Run("find", root, "-type", "f", "-links", "1", "-printf", "%s\n").Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Sum(long.Parse);

    private static IEnumerable<string> Leftovers(string root) =>
        Directory.EnumerateFileSystemEntries(root, "*.sluice-tmp", SearchOption.AllDirectories);

    private static void ShouldBeAlike(string actual, string expected, bool preserves)
    {
        // Without -p folders have their own times, and names of one file become files of their own.
        string format = preserves ? Everything : @"%P|%y|%m|%U|%G|%l\n";
        ShouldBeSame(Listing(actual, format), Listing(expected, format));
        Sums(actual).ShouldBe(Sums(expected));
    }

    // Not those of FIFOs, which end when somebody writes.
    private static string Sums(string root) =>
        Run("sh", "-c", "cd \"$0\" && find . -type f -exec sha256sum {} + | sort", root);

    /// <summary>Files of all sizes, links, FIFOs, odd names, holes, modes, times, names of one file.</summary>
    private string MakeTree()
    {
        string root = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string deep = Directory.CreateDirectory(Path.Combine(root, "deep", "er", "and er")).FullName;
        Directory.CreateDirectory(Path.Combine(root, "empty"));
        int[] sizes = [0, 1, 100, 4096, 9000, 70_000, 300_000];
        for (int i = 0; i < 60; i++)
        {
            string path = Path.Combine(i % 3 == 0 ? deep : root, $"f{i}");
            File.WriteAllBytes(path, Bytes.Pattern(sizes[i % sizes.Length], i));
            File.SetUnixFileMode(path, i % 2 == 0 ? UnixFileMode.UserRead : UnixFileMode.UserRead | UnixFileMode.UserWrite);
            File.SetLastWriteTimeUtc(path, Then.AddMinutes(i));
        }

        Native.Link(Path.Combine(root, "f1"), Path.Combine(deep, "name of f1"));
        Native.Link(Path.Combine(root, "f1"), Path.Combine(root, "name of f1"));
        Native.MakeFifo(Path.Combine(root, "fifo"));
        File.CreateSymbolicLink(Path.Combine(root, "link"), "f1");
        File.CreateSymbolicLink(Path.Combine(deep, "dangling"), "nowhere/at all");
        const string odd =
            "cd \"$0\" && printf odd > \"$(printf 'a\\nb')\" && printf odd > \"$(printf '\\377\\376')\" && : > -n && : > ' '";
        Run("sh", "-c", odd, deep);
        using (FileStream holes = new(Path.Combine(root, "holes"), FileMode.CreateNew))
        {
            holes.SetLength(3 << 20);
            holes.Position = 1 << 20;
            holes.Write(Bytes.Pattern(5000));
        }

        File.SetUnixFileMode(Path.Combine(root, "deep"), (UnixFileMode)0x1ED);
        File.SetLastWriteTimeUtc(deep, Then);
        File.SetLastWriteTimeUtc(root, Then);
        return root;
    }
}
