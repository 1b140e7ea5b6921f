namespace Sluice.Tests.Files;

/// <summary>What of a tree is left out of its copy, and what is left as it is.</summary>
public sealed class CopySelectionTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_is_excluded_is_not_there_and_not_opened(bool isThere)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "leaving parts of a tree out is Linux's");
        string source = NewTree();
        string target = _temp.NewPath();
        if (isThere)
        {
            Directory.CreateDirectory(target);
        }

        List<string> asked = [];
        CopyOptions options = new()
        {
            Recurse = true,
            PreserveMetadata = true,
            Exclude = path =>
            {
                asked.Add(path);
                return path is "b" or "a/2";
            },
        };
        CopyResult result = await SluiceFile.CopyAsync(source, target, options);
        asked.Order(StringComparer.Ordinal).ShouldBe(["1", "a", "a/2", "a/3", "b"]);
        (result.Files, result.Folders).ShouldBe((2, 2));
        File.Exists(Path.Combine(target, "a/3")).ShouldBeTrue();
        File.Exists(Path.Combine(target, "a/2")).ShouldBeFalse();
        Directory.Exists(Path.Combine(target, "b")).ShouldBeFalse();
    }

    [SkippableFact]
    public async Task An_answer_that_throws_ends_the_copy()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "leaving parts of a tree out is Linux's");
        string source = NewTree();
        for (int i = 1; i <= 5; i++)
        {
            int left = i;
            InvalidDataException thrown = new("no");
            CopyOptions options = new() { Recurse = true, ContinueOnError = true, Exclude = _ => --left == 0 ? throw thrown : false };
            Exception error = await Should.ThrowAsync<InvalidDataException>(() => SluiceFile.CopyAsync(source, _temp.NewPath(), options));
            error.ShouldBeSameAs(thrown);
        }
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_of_the_same_length_and_time_is_left_alone(bool preserves)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "skipping what is unchanged is Linux's");
        string source = NewTree();
        string target = _temp.NewPath();
        CopyOptions options = new() { Recurse = true, Overwrite = true, SkipUnchanged = true, PreserveMetadata = preserves };
        (await SluiceFile.CopyAsync(source, target, options)).ShouldSatisfyAllConditions(
            r => r.Files.ShouldBe(4), r => r.UnchangedFiles.ShouldBe(0));
        File.WriteAllBytes(Path.Combine(source, "a/2"), new byte[500]);
        CopyResult again = await SluiceFile.CopyAsync(source, target, options);
        (again.Files, again.UnchangedFiles, again.Bytes).ShouldBe((1, 3, 500));
        File.ReadAllBytes(Path.Combine(target, "a/2")).ShouldBe(new byte[500]);

        string one = Path.Combine(source, "1");
        CopyResult alone = await SluiceFile.CopyAsync(one, Path.Combine(target, "1"), new CopyOptions { SkipUnchanged = true });
        (alone.Files, alone.UnchangedFiles).ShouldBe((0, 1));
        File.SetLastWriteTimeUtc(one, DateTime.UnixEpoch);
        CopyOptions skips = new() { SkipUnchanged = true };
        IOException error = await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(one, Path.Combine(target, "1"), skips));
        error.Message.ShouldContain("there already");
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Links_and_nodes_that_are_the_same_are_left_alone(bool preserves)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "skipping what is unchanged is Linux's");
        string source = NewTree();
        File.CreateSymbolicLink(Path.Combine(source, "link"), "nowhere");
        File.CreateSymbolicLink(Path.Combine(source, "b/folder"), "../a");
        Trees.Run("ln", Path.Combine(source, "link"), Path.Combine(source, "a/second link"));
        Trees.Run("mkfifo", Path.Combine(source, "fifo"));
        Trees.Run("ln", Path.Combine(source, "fifo"), Path.Combine(source, "a/second fifo"));
        string target = _temp.NewPath();
        CopyOptions options = new() { Recurse = true, SkipUnchanged = true, PreserveMetadata = preserves };
        (await SluiceFile.CopyAsync(source, target, options)).ShouldSatisfyAllConditions(
            r => r.Files.ShouldBe(9), r => r.UnchangedFiles.ShouldBe(0));
        const string format = "%P|%y|%l|%i|%n|%T@\n";
        string[] before = Trees.Listing(target, format);
        foreach (bool overwrites in (bool[])[false, true])
        {
            List<CopyProgress> reports = [];
            CopyOptions again = new()
            {
                Recurse = true,
                SkipUnchanged = true,
                PreserveMetadata = preserves,
                Overwrite = overwrites,
                Progress = new Telling(reports.Add),
            };
            CopyResult result = await SluiceFile.CopyAsync(source, target, again);
            (result.Files, result.UnchangedFiles, result.Bytes).ShouldBe((0, 9, 0));
            Trees.ShouldBeSame(Trees.Listing(target, format), before);
            reports[^1].ShouldBe(new CopyProgress { UnchangedFiles = 9 }, "nothing was copied, or was to be");
        }

        // A link alone, too.
        string link = Path.Combine(source, "link");
        CopyResult alone = await SluiceFile.CopyAsync(link, Path.Combine(target, "link"), options);
        (alone.Files, alone.UnchangedFiles).ShouldBe((0, 1));
        File.Delete(link);
        File.CreateSymbolicLink(link, "nowhere else");
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, options));
        error.Failures.ShouldHaveSingleItem().Path.ShouldBe(link);
        error.FilesCompleted.ShouldBe(0, "the others stayed as they were");
        new FileInfo(Path.Combine(target, "link")).LinkTarget.ShouldBe("nowhere");
        options = new() { Recurse = true, SkipUnchanged = true, PreserveMetadata = preserves, Overwrite = true };
        (await SluiceFile.CopyAsync(source, target, options)).Files.ShouldBe(1);
        new FileInfo(Path.Combine(target, "link")).LinkTarget.ShouldBe("nowhere else");
    }

    [SkippableTheory]
    [InlineData("file", "link", true)]
    [InlineData("file", "fifo", false)]
    [InlineData("file", "folder", false)]
    [InlineData("link", "file", true)]
    [InlineData("link", "fifo", true)]
    [InlineData("link", "folder", false)]
    [InlineData("fifo", "file", true)]
    [InlineData("fifo", "link", true)]
    [InlineData("fifo", "folder", false)]
    [InlineData("folder", "file", false)]
    [InlineData("folder", "link", false)]
    [InlineData("folder", "fifo", false)]
    public async Task What_is_of_another_kind_is_replaced_where_it_may_be_or_stays(string kind, string old, bool isReplaced)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "skipping what is unchanged is Linux's");
        foreach (bool overwrites in (bool[])[false, true])
        {
            foreach (bool preserves in (bool[])[false, true])
            {
                string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
                string target = Directory.CreateDirectory(_temp.NewPath()).FullName;
                MakeNode(Path.Combine(source, "node"), kind);
                MakeNode(Path.Combine(target, "node"), old);
                string[] before = Trees.Listing(target, "%P|%y|%s|%l|%i\n");
                CopyOptions options = new()
                {
                    Recurse = true,
                    SkipUnchanged = preserves,
                    Overwrite = overwrites,
                    PreserveMetadata = preserves,
                };

                if (overwrites && isReplaced)
                {
                    (await SluiceFile.CopyAsync(source, target, options)).Files.ShouldBe(1);
                    Trees.ShouldBeSame(Trees.Listing(target, "%P|%y|%s|%l\n"), Trees.Listing(source, "%P|%y|%s|%l\n"));
                    continue;
                }

                FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, options));
                error.Failures.ShouldHaveSingleItem().Path.ShouldBe(Path.Combine(source, "node"));
                Trees.ShouldBeSame(Trees.Listing(target, "%P|%y|%s|%l|%i\n"), before);
            }
        }
    }

    private static void MakeNode(string path, string kind)
    {
        switch (kind)
        {
            case "file":
                File.WriteAllBytes(path, Bytes.Pattern(100));
                break;
            case "link":
                File.CreateSymbolicLink(path, "nowhere");
                break;
            case "folder":
                File.WriteAllBytes(Path.Combine(Directory.CreateDirectory(path).FullName, "below"), []);
                break;
            default:
                Trees.Run("mkfifo", path);
                break;
        }
    }

    private string NewTree()
    {
        string root = Directory.CreateDirectory(_temp.NewPath()).FullName;
        foreach (string name in (string[])["1", "a/2", "a/3", "b/4"])
        {
            string path = Path.Combine(root, name);
            Directory.CreateDirectory(Path.GetDirectoryName(path)!);
            File.WriteAllBytes(path, Bytes.Pattern(100));
        }

        return root;
    }
}
