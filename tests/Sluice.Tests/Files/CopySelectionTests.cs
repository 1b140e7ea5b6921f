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
    public async Task An_answer_that_throws_ends_the_copy_and_leaves_nothing()
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
            Directory.GetFileSystemEntries(_temp.Root).ShouldBe([source]);
        }
    }

    [Fact]
    public async Task Going_on_and_leaving_out_exclude_each_other()
    {
        CopyOptions options = new() { Recurse = true, Resume = true, Exclude = _ => false };
        await Should.ThrowAsync<ArgumentException>(() => SluiceFile.CopyAsync(NewTree(), _temp.NewPath(), options));
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
