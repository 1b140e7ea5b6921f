using System.Runtime.Versioning;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>
/// What a copy of a tree does with what is there already, or changes meanwhile: nothing is lost, and nothing is taken on trust.
/// </summary>
[UnsupportedOSPlatform("windows")]
public sealed class TreeChangeTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableFact]
    public async Task A_link_does_not_replace_itself_or_what_it_leads_to()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "links are copied on Linux");
        string file = _temp.NewFile(Bytes.Pattern(1000));
        string link = _temp.NewPath();
        File.CreateSymbolicLink(link, file);
        CopyOptions options = new() { Recurse = true, Overwrite = true };
        (await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(link, file, options))).Message.ShouldContain("same file");
        (await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(link, link, options))).Message.ShouldContain("same file");
        string source = NewFolder();
        string target = NewFolder();
        File.WriteAllBytes(Path.Combine(target, "a"), Bytes.Pattern(10));
        File.CreateSymbolicLink(Path.Combine(source, "a"), Path.Combine(target, "a"));
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, options));
        error.Failures.ShouldHaveSingleItem().Error.Message.ShouldContain("same file");
        File.ReadAllBytes(file).ShouldBe(Bytes.Pattern(1000));
        File.ReadAllBytes(Path.Combine(target, "a")).ShouldBe(Bytes.Pattern(10));
        Directory.GetFileSystemEntries(target).ShouldHaveSingleItem();
    }

    /// <summary>Who may write in one folder of the copy gets nothing of his into another one by a file that has names in both.</summary>
    [SkippableFact]
    public async Task What_was_put_in_a_names_place_gets_no_further_names()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "hard links are kept on Linux");
        (string source, string target) = (NewFolder(), NewFolder());
        foreach (string folder in (string[])["one", "two"])
        {
            Directory.CreateDirectory(Path.Combine(source, folder));
            Directory.CreateDirectory(Path.Combine(target, folder));
        }

        // Without bytes, so that the first report comes when it has its first name.
        File.WriteAllText(Path.Combine(source, "one", "name"), "");
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
        CopyOptions options = new() { Recurse = true, PreserveMetadata = true, ContinueOnError = true, Progress = putting };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, options));
        error.Failures.ShouldHaveSingleItem().Error.Message.ShouldContain("was replaced in the meantime");
        File.Exists(foreign).ShouldBeFalse();
        names.Count(File.Exists).ShouldBe(1);
    }

    [SkippableFact]
    public async Task A_second_name_that_leads_to_another_file_meanwhile_is_copied_as_that()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "hard links are kept on Linux");
        string source = NewFolder();
        (string one, string other) = (Path.Combine(source, "one"), Path.Combine(source, "other"));
        File.WriteAllText(one, "first");
        Run("ln", one, other);

        // Found after both names, and large enough for the copy to tell of it.
        File.WriteAllBytes(Path.Combine(Directory.CreateDirectory(Path.Combine(source, "below")).FullName, "large"),
            Bytes.Pattern(2_000_000));
        Within replaces = new(() =>
        {
            File.Delete(other);
            File.WriteAllText(other, "second");
        });
        string target = _temp.NewPath();
        CopyResult result =
            await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, PreserveMetadata = true, Progress = replaces });
        File.ReadAllText(Path.Combine(target, "one")).ShouldBe("first");
        File.ReadAllText(Path.Combine(target, "other")).ShouldBe("second");
    }

    /// <summary>File systems give the number of a file that is gone to the next one that is made.</summary>
    [SkippableFact]
    public async Task A_file_that_got_the_number_of_another_one_is_no_second_name_of_that()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "hard links are kept on Linux");
        const int names = 8;
        string source = NewFolder();
        string[][] nodes = [[.. Names("a")], [.. Names("b")]];
        byte[][] contents = [Bytes.Pattern(1000), Bytes.Pattern(3000)];
        for (int i = 0; i < nodes.Length; i++)
        {
            File.WriteAllBytes(nodes[i][0], contents[i]);
            Array.ForEach(nodes[i][1..], name => Native.Link(nodes[i][0], name));
        }

        int first = -1;
        bool isDone = false;
        bool isReused = false;
        byte[] later = Bytes.Pattern(500, 77);
        CopyOptions options = new() { Recurse = true, PreserveMetadata = true, Progress = new Telling(Report) };
        string target = _temp.NewPath();
        CopyResult result = await SluiceFile.CopyAsync(source, target, options);
        Skip.If(first < 0, "both were copied before anything was told");
        Skip.IfNot(isReused, "this file system gives no number a second time so soon");

        // Names that were copied before are the old file; the others are the new one.
        byte[][] copies = [.. nodes[first].Select(name => File.ReadAllBytes(Path.Combine(target, Path.GetFileName(name))))];
        int newOnes = copies.Count(copy => copy.SequenceEqual(later));
        copies.Count(copy => copy.SequenceEqual(contents[first])).ShouldBe(names - newOnes);
        Skip.If(newOnes == 0, "this file system listed all names of one file before the other's");

        IEnumerable<string> Names(string prefix) => Enumerable.Range(0, names).Select(i => Path.Combine(source, $"{prefix}{i * 37}"));

        void Report(CopyProgress progress)
        {
            // So long that the next step is told of too.
            Thread.Sleep(110);
            first = first < 0 ? Array.FindIndex(contents, content => content.Length == progress.Bytes) : first;

            // Where both were copied before anything was told, nobody knows which was the first.
            if (!isDone && first >= 0 && progress.Bytes == contents.Sum(static content => (long)content.Length))
            {
                // The first is copied and closed; the second is being copied.
                isDone = true;
                ulong number = Native.NumberOf(nodes[first][0]);
                Array.ForEach(nodes[first], File.Delete);
                string[] made = [.. Enumerable.Range(0, 200).Select(i => Path.Combine(source, $"made since {i}"))];
                Array.ForEach(made, name => File.WriteAllBytes(name, later));
                int found = Array.FindIndex(made, name => Native.NumberOf(name) == number);
                isReused = found >= 0;

                // Where somebody else got the number, there is a file all the same: the copy does not fail for want of one.
                Array.ForEach(nodes[first], name => Native.Link(made[Math.Max(found, 0)], name));
            }
        }
    }

    [SkippableFact]
    public async Task A_small_file_that_changes_meanwhile_is_counted()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the portable way cannot see it");
        string source = NewFolder();
        string file = Path.Combine(source, "file");
        File.WriteAllBytes(file, Bytes.Pattern(100));
        string target = _temp.NewPath();
        Within touches = new(() => File.SetLastWriteTimeUtc(file, DateTime.UnixEpoch));
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, Progress = touches });
        (result.Files, result.ChangedFiles).ShouldBe((1, 1));
        File.ReadAllBytes(Path.Combine(target, "file")).ShouldBeBytes(Bytes.Pattern(100));
    }

    [SkippableFact]
    public async Task A_folder_that_is_there_keeps_its_mode()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "modes");
        string source = NewFolder();
        string target = NewFolder();
        File.SetUnixFileMode(source, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        UnixFileMode before = File.GetUnixFileMode(target);
        _ = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true });
        File.GetUnixFileMode(target).ShouldBe(before);
        string made = _temp.NewPath();
        _ = await SluiceFile.CopyAsync(source, made, new CopyOptions { Recurse = true });
        File.GetUnixFileMode(made).ShouldBe(File.GetUnixFileMode(source));
    }

    /// <summary>A folder with the set-group-ID bit gives its group and the bit to what is made in it, as with cp -r.</summary>
    [SkippableFact]
    public async Task A_tree_in_a_folder_that_gives_its_group_gives_it_too()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "modes");
        string source = NewFolder();
        Run("chmod", "755", source);
        File.WriteAllText(Path.Combine(Directory.CreateDirectory(Path.Combine(source, "below")).FullName, "file"), "content");
        string parent = NewFolder();
        if (Environment.IsPrivilegedProcess)
        {
            Run("chgrp", "12345", parent);
        }

        Run("chmod", "g+s", parent);
        string target = Path.Combine(parent, "target");
        _ = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true });
        string expected = Path.Combine(parent, "expected");
        Run("cp", "-r", source, expected);
        ShouldBeSame(Folders(target), Folders(expected));
        Folders(target).ShouldAllBe(line => line.StartsWith("d|drwxr-s", StringComparison.Ordinal));

        static string[] Folders(string root) => [.. Listing(root, "%y|%M|%P|%G\n").Where(static line => line[0] == 'd')];
    }

    private string NewFolder() => Directory.CreateDirectory(_temp.NewPath()).FullName;
}
