using System.Runtime.Versioning;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>What is at the target while a tree is copied and after the copy has failed, and what a second run makes of it.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class TreeStateTests : IDisposable
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private static readonly DateTime Then = new(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc);

    private readonly TempFolder _temp = new();

    public TreeStateTests() => Skip.IfNot(OperatingSystem.IsLinux(), "trees are copied by names in open folders on Linux");

    public void Dispose() => _temp.Dispose();

    /// <summary>Nobody else comes in, or takes the file for a whole one, until it is whole.</summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_file_has_its_metadata_when_it_is_whole(bool preserves)
    {
        string source = NewTree(3_000_000);
        string file = Path.Combine(source, "file");
        Run("chmod", "-R", "a+rwX", source);
        Directory.SetLastWriteTimeUtc(source, Then);
        string target = _temp.NewPath();
        string copy = Path.Combine(target, "file");
        (UnixFileMode Folder, UnixFileMode File, DateTime Time, string[] Names) seen = default;
        Within looks = new(() => seen = (
            File.GetUnixFileMode(target), File.GetUnixFileMode(copy), File.GetLastWriteTimeUtc(copy),
            [.. Directory.GetFileSystemEntries(target).Select(static e => Path.GetFileName(e))]));
        CopyOptions options = new() { Recurse = true, PreserveMetadata = preserves, Method = CopyMethod.Buffered, Progress = looks };
        _ = await SluiceFile.CopyAsync(source, target, options);
        const UnixFileMode othersWrite = UnixFileMode.GroupWrite | UnixFileMode.OtherWrite;
        (seen.Folder & othersWrite).ShouldBe(UnixFileMode.None);
        seen.Names.ShouldBe(["file"]);
        seen.Time.ShouldNotBe(Then);
        if (preserves)
        {
            (seen.Folder, seen.File).ShouldBe((OwnerOnly | UnixFileMode.UserExecute, OwnerOnly));
            ShouldBeSame(Listing(target, Everything), Listing(source, Everything));
        }

        File.GetLastWriteTimeUtc(copy).ShouldBe(Then);
        File.GetUnixFileMode(copy).ShouldBe(File.GetUnixFileMode(file));
    }

    /// <summary>By a cancellation, and by what the progress throws.</summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_file_whose_copy_ends_early_is_not_there_and_the_others_are(bool isCancelled)
    {
        string source = NewTree(3_000_000, "a", "b");
        File.WriteAllText(Path.Combine(source, "a", "small"), "small");
        string target = _temp.NewPath();
        using CancellationTokenSource stop = new();
        Telling ends = new(_ =>
        {
            if (File.Exists(Path.Combine(target, "file")))
            {
                stop.Cancel();
                if (!isCancelled)
                {
                    throw new InvalidDataException();
                }
            }
        });

        // With a rate each part of the file is reported, and there are several.
        CopyOptions options = new()
        {
            Recurse = true,
            PreserveMetadata = true,
            Method = CopyMethod.Buffered,
            Progress = ends,
            BytesPerSecond = 5_000_000,
        };
        Exception? error = await Record.ExceptionAsync(
            () => SluiceFile.CopyAsync(source, target, options, isCancelled ? stop.Token : default));
        error.ShouldBeAssignableTo(isCancelled ? typeof(OperationCanceledException) : typeof(InvalidDataException));
        File.Exists(Path.Combine(target, "file")).ShouldBeFalse();
        foreach (string there in Directory.EnumerateFiles(target, "*", SearchOption.AllDirectories))
        {
            // Whole, with its time: or it would not be there.
            string original = Path.Combine(source, Path.GetRelativePath(target, there));
            File.ReadAllBytes(there).ShouldBeBytes(File.ReadAllBytes(original));
            File.GetLastWriteTimeUtc(there).ShouldBe(File.GetLastWriteTimeUtc(original));
        }

        CopyOptions again = new() { Recurse = true, PreserveMetadata = true, SkipUnchanged = true };
        _ = await SluiceFile.CopyAsync(source, target, again);
        ShouldBeSame(Listing(target, Everything), Listing(source, Everything));
        Hashes(target).ShouldBe(Hashes(source));
    }

    /// <summary>As a process leaves it that is killed while it copies: a part of the file, with the time of the copy.</summary>
    [SkippableTheory]
    [InlineData(0)]
    [InlineData(1000)]
    [InlineData(20_000)]
    public async Task A_second_run_replaces_a_file_without_its_time(int bytes)
    {
        string source = NewTree(20_000, "below");
        string target = _temp.NewPath();
        Directory.CreateDirectory(target);
        File.WriteAllBytes(Path.Combine(target, "file"), Bytes.Pattern(20_000, 9).AsSpan(0, bytes));
        CopyOptions keeping = new() { Recurse = true, PreserveMetadata = true, SkipUnchanged = true };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, keeping));
        error.Failures.ShouldHaveSingleItem().Error.Message.ShouldContain("there already");
        CopyOptions again = new() { Recurse = true, PreserveMetadata = true, SkipUnchanged = true, Overwrite = true };
        _ = await SluiceFile.CopyAsync(source, target, again);
        ShouldBeSame(Listing(target, Everything), Listing(source, Everything));
        Hashes(target).ShouldBe(Hashes(source));
    }

    [SkippableTheory]
    [InlineData("file", true)]
    [InlineData("file", false)]
    [InlineData("link", false)]
    [InlineData("fifo", false)]
    [InlineData("folder", false)]
    public async Task What_is_put_into_a_folder_that_the_copy_has_made_is_not_trusted(string kind, bool isSame)
    {
        string source = NewTree(20_000, "below");
        string victim = _temp.NewFile("victim"u8);
        string target = _temp.NewPath();
        string planted = Path.Combine(target, "below", "file");
        CopyOptions options = new()
        {
            Recurse = true,
            Overwrite = true,
            SkipUnchanged = true,
            ContinueOnError = true,
            Exclude = path =>
            {
                // The folder has been made, and its file has not been handed on yet.
                if (path == "below/file")
                {
                    Plant();
                }

                return false;
            },
        };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, options));
        error.Failures.ShouldHaveSingleItem().Path.ShouldBe(Path.Combine(source, "below", "file"));
        File.ReadAllText(victim).ShouldBe("victim");
        Listing(Path.Combine(target, "below"), "%f\n").ShouldBe(["below", "file"]);

        void Plant()
        {
            switch (kind)
            {
                case "file":
                    File.WriteAllBytes(planted, Bytes.Pattern(20_000, isSame ? 0 : 5));
                    File.SetLastWriteTimeUtc(planted, Then);
                    break;
                case "link":
                    File.CreateSymbolicLink(planted, victim);
                    break;
                case "fifo":
                    Native.MakeFifo(planted);
                    break;
                default:
                    Directory.CreateDirectory(planted);
                    break;
            }
        }
    }

    [SkippableFact]
    public async Task A_folder_that_is_put_where_the_copy_makes_one_is_not_used()
    {
        string source = _temp.NewPath();
        File.WriteAllText(Path.Combine(Directory.CreateDirectory(Path.Combine(source, "a", "b")).FullName, "file"), "secret");
        string target = _temp.NewPath();
        string planted = Path.Combine(target, "a", "b");
        CopyOptions options = new()
        {
            Recurse = true,
            Overwrite = true,
            ContinueOnError = true,
            Exclude = path => path == "a/b" && Directory.CreateDirectory(planted) is null,
        };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, options));
        error.Failures.ShouldHaveSingleItem().Path.ShouldBe(Path.Combine(source, "a", "b"));
        Directory.GetFileSystemEntries(planted).ShouldBeEmpty();
    }

    /// <summary>What others may write to, and what its owner may not, is so when all is there.</summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Folders_have_the_modes_that_cp_gives_them(bool preserves)
    {
        string source = NewTree(100, "777", "1777", "555", "070", "000", "2755");
        foreach (string mode in (string[])["777", "1777", "555", "070", "000", "2755"])
        {
            Run("chmod", mode, Path.Combine(source, mode));
        }

        Skip.IfNot(Environment.IsPrivilegedProcess, "only root reads a folder of mode 0");
        (string expected, string actual) = (_temp.NewPath(), _temp.NewPath());
        Run("cp", preserves ? "-a" : "-r", source, expected);
        _ = await SluiceFile.CopyAsync(source, actual, new CopyOptions { Recurse = true, PreserveMetadata = preserves });
        ShouldBeSame(Listing(actual, "%P|%y|%m\n"), Listing(expected, "%P|%y|%m\n"));
    }

    private string NewTree(int bytes, params string[] below)
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        foreach (string folder in (string[])["", .. below])
        {
            string file = Path.Combine(Directory.CreateDirectory(Path.Combine(source, folder)).FullName, "file");
            File.WriteAllBytes(file, Bytes.Pattern(bytes));
            File.SetLastWriteTimeUtc(file, Then);
        }

        return source;
    }
}
