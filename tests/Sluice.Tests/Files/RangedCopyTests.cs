using System.Runtime.Versioning;
using Sluice.Copying;
using Sluice.Copying.Ranges;
using Sluice.Kernel;
using Sluice.Uring.Abi;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>Shards that copy one large file in ranges; here they are calls, in the tests of the tool processes.</summary>
[Trait("Tier", "slow")]
[SupportedOSPlatform("linux")]
public sealed partial class RangedCopyTests : IDisposable
{
    private const int Range = 1 << 20;

    private static readonly DateTime Then = new(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc);

    private readonly TempFolder _temp = new();
    private readonly string _source;
    private readonly string _target;

    public RangedCopyTests()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "copies in shards are Linux's");
        _source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        _target = _temp.NewPath();
    }

    private string SourceFile => Path.Combine(_source, "large");

    private string TargetFile => Path.Combine(_target, "large");

    private string PartName => Directory.EnumerateDirectories(_target, ".large.*.sluice-part").Single();

    private string PartFile => Directory.EnumerateFiles(PartName, "*.part").Single();

    public void Dispose() => _temp.Dispose();

    /// <summary>Lengths around the borders of ranges, of blocks, and of pages; with holes, some as long as a range.</summary>
    [SkippableTheory]
    [InlineData(1, CopyMethod.Auto, true)]
    [InlineData(3, CopyMethod.Direct, true)]
    [InlineData(2, CopyMethod.Buffered, false)]
    public async Task Ranges_of_all_shards_and_the_end_make_what_cp_makes(int count, CopyMethod method, bool preserves)
    {
        int[] lengths =
            [Range, Range + 1, Range + 4095, (2 * Range) - 1, 2 * Range, (2 * Range) + 1, (3 * Range) + 65_537];
        foreach (int length in lengths)
        {
            string path = Path.Combine(_source, $"f{length}");
            File.WriteAllBytes(path, Bytes.Pattern(length, length));
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.GroupRead);
            File.SetLastWriteTimeUtc(path, Then.AddTicks(length));
        }

        MakeSparse(Path.Combine(_source, "sparse"), 4 * Range, (Range / 2, 5000), ((3 * Range) + 100, 70_000));
        MakeSparse(Path.Combine(_source, "hole"), (2 * Range) + 7);
        string expected = _temp.NewPath();
        Run("cp", preserves ? "-a" : "-r", _source, expected);
        for (int index = 0; index < count; index++)
        {
            CopyResult part = await SluiceFile.CopyAsync(_source, _target, Part(index, count, method, preserves, verifies: index == 0));
            part.Bytes.ShouldBeGreaterThan(0);
        }

        // What has no ranges is there, and nothing else.
        Directory.EnumerateFiles(_target).ShouldBe([Path.Combine(_target, $"f{Range}")]);
        CopyResult end = await SluiceFile.FinishCopyAsync(_source, _target, End(method, preserves));
        (end.Files, end.UnchangedFiles).ShouldBe((lengths.Length + 1, 1));
        ShouldBeSame(Listing(_target, preserves ? Everything : @"%P|%y|%s\n"), Listing(expected, preserves ? Everything : @"%P|%y|%s\n"));
        Hashes(_target).ShouldBe(Hashes(expected));
        BlocksOf("sparse").ShouldBeLessThan(Range);
        BlocksOf("hole").ShouldBe(BlocksOf(Path.Combine(expected, "hole")), "a hole has been filled");

        // Once more changes nothing, and finds all.
        CopyResult again = await SluiceFile.CopyAsync(_source, _target, Part(0, 1, method, preserves));
        (again.Bytes, again.Files, again.UnchangedFiles).ShouldBe((0, 0, lengths.Length + 2));
        end = await SluiceFile.FinishCopyAsync(_source, _target, End(method, preserves));
        (end.Files, end.UnchangedFiles).ShouldBe((0, lengths.Length + 2));
        Leftovers().ShouldBeEmpty();
    }

    /// <summary>Wherever a shard has ended, it makes what is missing and no more; and the end sees it.</summary>
    [SkippableFact]
    public async Task A_shard_that_was_ended_in_a_range_copies_that_one_again()
    {
        byte[] content = WriteSource(5 * Range);
        using CancellationTokenSource stop = new();
        await Should.ThrowAsync<OperationCanceledException>(
            () => SluiceFile.CopyAsync(_source, _target, Part(0, 1, told: _ => stop.Cancel()), stop.Token));

        // A range that was nearly done when it was stopped may have been done, and has its mark then.
        string[] left = Directory.GetFiles(PartName);
        left.ShouldContain(PartFile);
        int missing = 5 - (left.Length - 1);
        missing.ShouldBeInRange(1, 5);
        await ShouldNotBeWholeAsync($"{missing} of 5 ranges are missing");
        (await SluiceFile.CopyAsync(_source, _target, Part(0, 1))).Bytes.ShouldBe(missing * Range);

        // What a range without its mark holds is nothing that may be relied on.
        foreach (int range in (int[])[1, 4])
        {
            File.Delete(Directory.EnumerateFiles(PartName, $"*.{range}").Single());
            using FileStream part = File.OpenWrite(PartFile);
            part.Position = range * Range;
            part.Write(new byte[Range]);
        }

        await ShouldNotBeWholeAsync("2 of 5 ranges are missing");
        (await SluiceFile.CopyAsync(_source, _target, Part(0, 1))).Bytes.ShouldBe(2 * Range);
        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
        Leftovers().ShouldBeEmpty();

        async Task ShouldNotBeWholeAsync(string message)
        {
            FileBatchException error = await Should.ThrowAsync<FileBatchException>(
                () => SluiceFile.FinishCopyAsync(_source, _target, End()));
            error.Failures.Single().Error.Message.ShouldContain(message);
            error.Failures.Single().Error.Message.ShouldContain("its shard has to be run again");
            File.Exists(TargetFile).ShouldBeFalse();
        }
    }

    [SkippableFact]
    public async Task Where_a_shard_is_missing_the_end_says_so_and_changes_nothing()
    {
        WriteSource((4 * Range) + 1);
        File.WriteAllText(Path.Combine(_source, "small"), "small");
        await SluiceFile.CopyAsync(_source, _target, Part(1, 3));
        string[] before = Listing(_target, Everything);
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.FinishCopyAsync(_source, _target, End()));
        error.Failures.Where(f => f.Path == SourceFile).Single().Error.Message.ShouldContain(" of 5 ranges are missing");
        ShouldBeSame(Listing(_target, Everything), before);

        // Of ranges of another length there is nothing either.
        error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(
            _source, _target, new CopyOptions { ContinueOnError = true, SplitBytes = 2 * Range }));
        error.Failures.ShouldContain(f => f.Path == SourceFile);
        ShouldBeSame(Listing(_target, Everything), before);
    }

    /// <summary>Two versions never meet in one file.</summary>
    [SkippableFact]
    public async Task A_source_that_is_written_between_two_shards_is_said_and_copied_anew()
    {
        WriteSource(4 * Range);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 2));
        byte[] content = WriteSource(4 * Range, start: 99);
        await SluiceFile.CopyAsync(_source, _target, Part(1, 2));
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.FinishCopyAsync(_source, _target, End()));
        error.Failures.Single().Error.Message.ShouldContain("since its source was written meanwhile");
        await SluiceFile.CopyAsync(_source, _target, Part(0, 2));
        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
        Leftovers().ShouldBeEmpty();

        // The time of last write may be any: the time of the last change tells.
        File.Delete(TargetFile);
        File.SetLastWriteTimeUtc(SourceFile, Then);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        content = WriteSource(4 * Range, start: 7);
        File.SetLastWriteTimeUtc(SourceFile, Then);
        error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(_source, _target, End()));
        error.Failures.Single().Error.Message.ShouldContain("written meanwhile");
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
    }

    /// <summary>A shard that is at work keeps the end from giving the file its name.</summary>
    [SkippableFact]
    public async Task The_end_waits_for_nobody_and_takes_nothing_from_whoever_is_at_work()
    {
        byte[] content = WriteSource(3 * Range);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        NodePath target = NodePath.Of(TargetFile);
        NodeCalls.Stat(NodePath.Of(SourceFile), followsLinks: false, StatxMask.BasicStats, out Statx stat).ShouldBe(0);
        using (PartFolder? late = PartFolder.TryOpen(target, stat, Range, forWriting: false))
        {
            late.ShouldNotBeNull().IsLocked.ShouldBeTrue();
            FileBatchException error = await Should.ThrowAsync<FileBatchException>(
                () => SluiceFile.FinishCopyAsync(_source, _target, End()));
            error.Failures.Single().Error.Message.ShouldContain("a shard is still writing it");
            File.Exists(TargetFile).ShouldBeFalse();
        }

        using (PartFolder.TryOpen(target, stat, Range, forWriting: true).ShouldNotBeNull())
        {
            Should.Throw<IOException>(() => PartFolder.OpenOrMake(target, stat, Range));
        }

        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
    }

    /// <summary>The name can be foreseen; what has it is used only if it is this user's own folder, and nobody else's.</summary>
    [SkippableTheory]
    [InlineData("file")]
    [InlineData("fifo")]
    [InlineData("link")]
    [InlineData("open")]
    [InlineData("another's")]
    public async Task What_others_have_put_under_the_name_is_no_way_in(string kind)
    {
        Skip.If(kind == "another's" && !Environment.IsPrivilegedProcess, "folders of other users are root's to make");
        WriteSource(2 * Range);
        Directory.CreateDirectory(_target);
        NodeCalls.Stat(NodePath.Of(SourceFile), followsLinks: false, StatxMask.BasicStats, out Statx stat).ShouldBe(0);
        string name = TemporaryName.Part(NodePath.Of(TargetFile), SourceVersion.Of(stat, Range)).Text;
        string victim = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string inside = Path.Combine(victim, "0123456789abcdef.part");
        File.WriteAllText(inside, "inside");
        switch (kind)
        {
            case "file":
                File.WriteAllText(name, "");
                break;
            case "fifo":
                Native.MakeFifo(name);
                break;
            case "link":
                File.CreateSymbolicLink(name, victim);
                break;
            default:
                Directory.CreateDirectory(name);
                UnixFileMode owner = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
                File.SetUnixFileMode(name, kind == "open" ? owner | UnixFileMode.GroupExecute : owner);
                Run("chown", kind == "open" ? $"{Environment.UserName}" : "12345", name);
                break;
        }

        string[] before = Listing(_target, Everything);
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.CopyAsync(_source, _target, Part(0, 1)));
        error.Failures.Single().Error.ShouldBeOfType<UnauthorizedAccessException>().Message.ShouldContain(name);
        await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(_source, _target, End()));
        Listing(_target, Everything).ShouldBe(before);
        File.ReadAllText(inside).ShouldBe("inside");
    }

    [SkippableFact]
    public async Task What_is_there_is_replaced_with_consent_alone()
    {
        byte[] content = WriteSource(2 * Range);
        Directory.CreateDirectory(_target);
        File.WriteAllText(TargetFile, "older");
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.CopyAsync(_source, _target, Part(0, 1)));
        error.Failures.Single().Error.Message.ShouldContain("there already");
        File.Delete(TargetFile);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        File.WriteAllText(TargetFile, "newer");
        error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(_source, _target, End()));
        error.Failures.Single().Error.Message.ShouldContain("there already");
        File.ReadAllText(TargetFile).ShouldBe("newer");
        await SluiceFile.FinishCopyAsync(
            _source, _target, new CopyOptions { SplitBytes = Range, PreserveMetadata = true, Overwrite = true });
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);

        // All anew, where that is asked for: the next end is not content with what is there then.
        CopyOptions anew = new() { Recurse = true, Shard = new Shard(0, 2), SplitBytes = Range, Overwrite = true };
        (await SluiceFile.CopyAsync(_source, _target, anew)).Bytes.ShouldBe(Range);
        CopyOptions endAnew = new() { SplitBytes = Range, Overwrite = true, ContinueOnError = true };
        error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(_source, _target, endAnew));
        error.Failures.Single().Error.Message.ShouldContain("of 2 is missing");
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
    }

    [SkippableFact]
    public async Task What_is_not_to_be_divided_is_one_shards()
    {
        byte[] content = WriteSource(2 * Range);
        Native.Link(SourceFile, Path.Combine(_source, "another name"));
        File.Copy(SourceFile, Path.Combine(_source, "large too"));
        CopyOptions whole = new() { Recurse = true, Shard = new Shard(0, 1), SplitBytes = 0 };
        (await SluiceFile.CopyAsync(_source, _target, whole)).Files.ShouldBe(3);
        Run("rm", "-r", _target);

        // Of several names, which come at the end, or longer than nothing.
        CopyResult part = await SluiceFile.CopyAsync(_source, _target, Part(0, 1, preserves: true));
        part.Bytes.ShouldBe(2 * Range);
        Directory.EnumerateDirectories(_target).Count().ShouldBe(1);
        (await SluiceFile.FinishCopyAsync(_source, _target, End())).Files.ShouldBe(3);
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
        Should.Throw<ArgumentOutOfRangeException>(() => new CopyOptions { SplitBytes = -1 });
        Should.Throw<ArgumentOutOfRangeException>(() => new CopyOptions { SplitBytes = Range + 1 });
    }

    private static CopyOptions Part(
        int index, int count, CopyMethod method = CopyMethod.Auto, bool preserves = false, bool verifies = false,
        Action<CopyProgress>? told = null) => new()
        {
            Recurse = true,
            Shard = new Shard(index, count),
            SplitBytes = Range,
            Method = method,
            PreserveMetadata = preserves,
            Verify = verifies,
            ContinueOnError = true,
            Progress = told is null ? null : new Telling(told),
        };

    private static CopyOptions End(CopyMethod method = CopyMethod.Auto, bool preserves = true) =>
        new() { SplitBytes = Range, Method = method, PreserveMetadata = preserves, ContinueOnError = true };

    private static void MakeSparse(string path, long length, params (long At, int Length)[] data)
    {
        using FileStream file = new(path, FileMode.CreateNew);
        file.SetLength(length);
        foreach ((long at, int bytes) in data)
        {
            file.Position = at;
            file.Write(Bytes.Pattern(bytes));
        }
    }

    private byte[] WriteSource(int length, int start = 0)
    {
        byte[] content = Bytes.Pattern(length, start);
        File.WriteAllBytes(SourceFile, content);
        return content;
    }

    private IEnumerable<string> Leftovers() => Directory.EnumerateFileSystemEntries(_target, "*.sluice-*");

    /// <summary>Bytes that a file of the target, or one whose whole path it is, takes: on GlusterFS also what a brick notes.</summary>
    private long BlocksOf(string name) => long.Parse(Run("stat", "-c", "%b", Path.Combine(_target, name)).Trim()) * 512;
}
