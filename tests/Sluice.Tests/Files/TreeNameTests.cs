using System.Runtime.Versioning;
using Sluice.Copying;
using Sluice.Kernel;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>Trees whose names are no text, whose paths are longer than the kernel takes, or where links appear; and attributes.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class TreeNameTests : IDisposable
{
    private const string MakeScript = """
        cd "$0" && f="$(printf 'folder\377')" && mkdir "$f" "$f/below$(printf '\200')"
        echo one > "$f/one$(printf '\376')"
        echo two > "$(printf 'caf\351')"
        ln "$f/one$(printf '\376')" "$f/second$(printf '\375')"
        ln -s "$(printf 'nowhere\377')" "$f/link$(printf '\374')"
        ln "$f/link$(printf '\374')" "second link"
        mkfifo "$f/fifo$(printf '\373')"
        head -c 400000 /dev/zero > "$f/below$(printf '\200')/large$(printf '\372')"
        """;

    // Names byte for byte: a listing that passes through text would not tell them apart.
    private const string SumScript = """
        cd "$0" && { find . -printf '%P|%y|%m|%s|%n|%l\n'; find . -type f -exec md5sum {} +; } | grep -av '|d|' | LC_ALL=C sort | md5sum
        """;

    private readonly TempFolder _temp = new();

    public void Dispose()
    {
        // .NET removes neither names that are no text nor paths that are too long.
        Run("rm", "-rf", _temp.Root);
        _ = Directory.CreateDirectory(_temp.Root);
        _temp.Dispose();
    }

    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Names_that_are_no_text_are_copied_byte_for_byte(bool keeps)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "names are bytes on Linux");
        string source = MakeTree();
        (string expected, string actual) = (_temp.NewPath(), _temp.NewPath());
        Run("cp", keeps ? "-a" : "-r", source, expected);
        CopyOptions options = new() { Recurse = true, PreserveMetadata = keeps, Verify = true };
        _ = await SluiceFile.CopyAsync(source, actual, options);
        Sum(actual).ShouldBe(Sum(expected));

        // Over what is there; and on from a part of it.
        options = new() { Recurse = true, PreserveMetadata = keeps, Overwrite = true };
        _ = await SluiceFile.CopyAsync(source, actual, options);
        Sum(actual).ShouldBe(Sum(expected));
        Run("sh", "-c", "cd \"$0\" && rm caf* folder*/one* folder*/link*", actual);
        options = new() { Recurse = true, PreserveMetadata = keeps, SkipUnchanged = true };
        CopyResult result = await SluiceFile.CopyAsync(source, actual, options);
        (result.Files, result.UnchangedFiles).ShouldBe((3, 4));
        Run("sh", "-c", "cd \"$0\" && cat caf* folder*/one*", actual).ShouldBe("two\none\n");
    }

    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Paths_may_be_longer_than_the_kernel_takes(bool keeps)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the portable way names whole paths");
        string source = _temp.NewPath();
        string half = _temp.NewPath();
        string name = new('d', 200);
        foreach (string root in (string[])[source, half])
        {
            string at = Directory.CreateDirectory(root).FullName;
            for (int i = 0; i < 17; i++)
            {
                at = Directory.CreateDirectory(Path.Combine(at, name)).FullName;
                File.WriteAllText(Path.Combine(at, $"{i}"), $"{i}");
                File.CreateSymbolicLink(Path.Combine(at, "link"), $"{i}");
                Run("ln", Path.Combine(at, $"{i}"), Path.Combine(at, "second name"));
            }

            if (root == half)
            {
                Directory.Move(half, Path.Combine(source, string.Join('/', Enumerable.Repeat(name, 17)), "half"));
            }
        }

        string target = _temp.NewPath();
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, PreserveMetadata = keeps });
        result.Folders.ShouldBe(36);
        string format = keeps ? Everything : @"%P|%y|%m|%U|%G|%l\n";
        ShouldBeSame(Listing(target, format), Listing(source, format));
    }

    [SkippableFact]
    [SupportedOSPlatform("linux")]
    public void A_folder_that_has_become_a_link_is_not_entered()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "trees are walked by open folders on Linux");
        string outside = Directory.CreateDirectory(Path.Combine(_temp.NewPath(), "below")).Parent!.FullName;
        string root = Directory.CreateDirectory(_temp.NewPath()).FullName;
        Directory.CreateDirectory(Path.Combine(root, "folder", "below"));
        int fd = PathCalls.Open(PathCalls.ToKernel(root), TreeRoot.FolderFlags);
        fd.ShouldBeGreaterThan(0);
        using TreeRoot tree = new(fd, root);
        int below = tree.Open("folder/below"u8);
        below.ShouldBeGreaterThan(0);
        PathCalls.Close(below);
        Directory.Delete(Path.Combine(root, "folder"), recursive: true);
        Directory.CreateSymbolicLink(Path.Combine(root, "folder"), outside);
        Directory.Exists(Path.Combine(root, "folder", "below")).ShouldBeTrue();
        tree.Open("folder/below"u8).ShouldBeLessThan(0);
        tree.Open("folder"u8).ShouldBeLessThan(0);
        tree.OpenParent(TreePath.Root.Below("folder"u8).Below("below"u8).Below("deeper"u8), out _).ShouldBeLessThan(0);
    }

    [SkippableFact]
    public async Task Extended_attributes_of_files_folders_and_links_are_kept()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can give attributes to a link");
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string[] names = ["", "file", "second name", "link", "fifo"];
        File.WriteAllText(Path.Combine(source, "file"), "x");
        Run("ln", Path.Combine(source, "file"), Path.Combine(source, "second name"));
        File.CreateSymbolicLink(Path.Combine(source, "link"), "file");
        Run("mkfifo", Path.Combine(source, "fifo"));
        byte[] value = [.. "one\0two"u8];
        foreach (string name in names.Where(n => n != "second name"))
        {
            Skip.If(Native.SetAttribute(Path.Join(source, name), "trusted.sluice", value) != 0, "this file system has no such attributes");
        }

        string target = _temp.NewPath();
        CopyOptions options = new() { Recurse = true, PreserveMetadata = true };
        _ = await SluiceFile.CopyAsync(source, target, options);
        foreach (string name in names)
        {
            Native.GetAttribute(Path.Join(target, name), "trusted.sluice").ShouldBe(value, name);
        }

        string plain = _temp.NewPath();
        _ = await SluiceFile.CopyAsync(source, plain, new CopyOptions { Recurse = true });
        names.ShouldAllBe(n => Native.GetAttribute(Path.Join(plain, n), "trusted.sluice") == null);
    }

    private string MakeTree()
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        Run("sh", "-c", MakeScript, source);
        return source;
    }

    private static string Sum(string root) => Run("sh", "-c", SumScript, root);
}
