using Shouldly;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

/// <summary>
/// A link in a folder that is itself reached by a link, and says "../y/f": the kernel goes up from where the link lies, and the text of the
/// path from where the folder's name stands, where another file has that name.
/// </summary>
[Trait("Runs", "once")]
public sealed class LinkedFileTests : FolderTest
{
    private string Link => Folder["x/l"];

    private string Right => Folder["a/y/f"];

    private string Precious => Folder["y/f"];

    [SkippableFact]
    public async Task A_file_is_made_anew_where_the_kernel_finds_it()
    {
        MakeTree();
        await ToolRun.SucceedAsync("speed", "-t0", "-x1M", "--force", Link);
        new FileInfo(Right).Length.ShouldBe(1 << 20);
        (await File.ReadAllTextAsync(Precious)).ShouldBe("precious");
        new FileInfo(Link).LinkTarget.ShouldBe("../y/f");

        await ToolRun.SucceedAsync("examples", Link, "10", "--rounds", "1", "--case", "read-block-file-stream", "--force");
        new FileInfo(Right).Length.ShouldBe(1000);
        (await File.ReadAllTextAsync(Precious)).ShouldBe("precious");
        new FileInfo(Link).LinkTarget.ShouldBe("../y/f");
    }

    [SkippableFact]
    public async Task A_file_is_copied_from_where_the_kernel_finds_it()
    {
        MakeTree();
        File.Delete(Precious);
        foreach (string[] options in (string[][])[["-n"], []])
            await ToolRun.SucceedAsync(["copy", .. options, Link, Folder["out"]]);
        (await File.ReadAllTextAsync(Folder["out"])).ShouldBe("right");

        // The other way round: what the text says is there, and what the link leads to is not.
        File.Delete(Right);
        await File.WriteAllTextAsync(Precious, "precious");
        await CommandChecks.FailsAsync("which does not exist", "copy", Link, Folder["no"]);
    }

    [SkippableFact]
    public void What_is_told_of_a_file_is_told_of_where_the_kernel_finds_it()
    {
        MakeTree();
        string real = EnvironmentProbe.RealPathOf(Folder.FullPath);
        EnvironmentProbe.RealPathOf(Link).ShouldBe(Path.Join(real, "a/y/f"));
        EnvironmentProbe.RealPathOf(Folder["x/../x/none"]).ShouldBe(Path.Join(real, "a/b/none"));
        PathArgument.Follow(Link).ShouldBe(Path.Join(real, "a/y/f"));
        PathArgument.Follow(Folder["x/plain"]).ShouldBe(Folder["x/plain"]);
    }

    [SkippableTheory]
    [InlineData("none/../../y/f")]
    [InlineData("../y/f/../f")]
    [InlineData("../y/none")]
    public void What_the_kernel_does_not_find_is_not_found_by_what_the_link_says(string text)
    {
        MakeTree();
        File.CreateSymbolicLink(Folder["x/odd"], text);
        Should.Throw<FileNotFoundException>(() => PathArgument.Follow(Folder["x/odd"])).Message.ShouldContain($"link to {text}, which");
        Should.Throw<FileNotFoundException>(() => PathArgument.RequireTarget(Folder["x/odd"]));
    }

    [SkippableTheory]
    [InlineData("loop", "is a symbolic link that leads back to itself")]
    [InlineData("nothing", "is a symbolic link to nothing, which does not exist")]
    public async Task What_reads_a_result_says_of_a_link_what_other_commands_say(string text, string says)
    {
        Skip.If(OperatingSystem.IsWindows(), "making links needs a privilege there");
        File.CreateSymbolicLink(Folder["loop"], text);
        string link = Folder["loop"];
        foreach (string[] typed in (string[][])[["merge", link], ["compare", link, link], ["copy", "--files-from", link, Folder.FullPath]])
            await CommandChecks.FailsAsync($"{link} {says}", typed);
    }

    private void MakeTree()
    {
        Skip.If(OperatingSystem.IsWindows(), "making links needs a privilege there");
        foreach (string name in (string[])["a/b", "a/y", "y"])
            Directory.CreateDirectory(Folder[name]);
        File.WriteAllText(Right, "right");
        File.WriteAllText(Precious, "precious");
        File.CreateSymbolicLink(Folder["a/b/l"], "../y/f");
        Directory.CreateSymbolicLink(Folder["x"], "a/b");
    }
}
