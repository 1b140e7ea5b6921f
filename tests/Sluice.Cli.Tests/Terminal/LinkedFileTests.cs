using Shouldly;
using Sluice.Cli.Programs.Copy;
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
public sealed class LinkedFileTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    private string Link => _folder["x/l"];

    private string Right => _folder["a/y/f"];

    private string Precious => _folder["y/f"];

    [SkippableFact]
    public async Task A_file_is_made_anew_where_the_kernel_finds_it()
    {
        MakeTree();
        ToolRun run = await ToolRun.RunAsync("speed", "-t0", "-x1M", "--force", Link);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        new FileInfo(Right).Length.ShouldBe(1 << 20);
        (await File.ReadAllTextAsync(Precious)).ShouldBe("precious");
        new FileInfo(Link).LinkTarget.ShouldBe("../y/f");

        run = await ToolRun.RunAsync("examples", Link, "10", "--rounds", "1", "--case", "read-block-file-stream", "--force");
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
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
        {
            ToolRun run = await ToolRun.RunAsync(["copy", .. options, Link, _folder["out"]]);
            run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        }
        (await File.ReadAllTextAsync(_folder["out"])).ShouldBe("right");

        // The other way round: what the text says is there, and what the link leads to is not.
        File.Delete(Right);
        await File.WriteAllTextAsync(Precious, "precious");
        ToolRun missing = await ToolRun.RunAsync("copy", Link, _folder["no"]);
        missing.ExitCode.ShouldBe(ExitCode.IoError);
        missing.Error.ShouldContain("which does not exist");
    }

    [SkippableFact]
    public void What_is_told_of_a_file_is_told_of_where_the_kernel_finds_it()
    {
        MakeTree();
        string real = EnvironmentProbe.RealPathOf(_folder.FullPath);
        EnvironmentProbe.RealPathOf(Link).ShouldBe(Path.Join(real, "a/y/f"));
        EnvironmentProbe.RealPathOf(_folder["x/../x/none"]).ShouldBe(Path.Join(real, "a/b/none"));
        ResumeName.Of(Link).ShouldBe(Path.Join(real, "a/y/.f.sluice-tmp"));
        LinkedFile.Follow(Link).ShouldBe(Path.Join(real, "a/y/f"));
        LinkedFile.Follow(_folder["x/plain"]).ShouldBe(_folder["x/plain"]);
    }

    [SkippableTheory]
    [InlineData("none/../../y/f")]
    [InlineData("../y/f/../f")]
    [InlineData("../y/none")]
    public void What_the_kernel_does_not_find_is_not_found_by_what_the_link_says(string text)
    {
        MakeTree();
        File.CreateSymbolicLink(_folder["x/odd"], text);
        Should.Throw<FileNotFoundException>(() => LinkedFile.Follow(_folder["x/odd"])).Message.ShouldContain($"link to {text}, which");
        Should.Throw<FileNotFoundException>(() => LinkedFile.RequireTarget(_folder["x/odd"]));
    }

    [SkippableTheory]
    [InlineData("loop", "is a symbolic link that leads back to itself")]
    [InlineData("nothing", "is a symbolic link to nothing, which does not exist")]
    public async Task What_reads_a_result_says_of_a_link_what_other_commands_say(string text, string says)
    {
        Skip.If(OperatingSystem.IsWindows(), "making links needs a privilege there");
        File.CreateSymbolicLink(_folder["loop"], text);
        string link = _folder["loop"];
        foreach (string[] typed in (string[][])[["merge", link], ["compare", link, link], ["copy", "--files-from", link, _folder.FullPath]])
        {
            ToolRun run = await ToolRun.RunAsync(typed);
            run.ExitCode.ShouldBe(ExitCode.IoError, run.Error);
            run.Error.ShouldContain($"{link} {says}");
        }
    }

    private void MakeTree()
    {
        Skip.If(OperatingSystem.IsWindows(), "making links needs a privilege there");
        foreach (string name in (string[])["a/b", "a/y", "y"])
            Directory.CreateDirectory(_folder[name]);
        File.WriteAllText(Right, "right");
        File.WriteAllText(Precious, "precious");
        File.CreateSymbolicLink(_folder["a/b/l"], "../y/f");
        Directory.CreateSymbolicLink(_folder["x"], "a/b");
    }
}
