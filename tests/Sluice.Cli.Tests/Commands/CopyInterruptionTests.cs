using System.Text.Json;
using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice copy`, ended by a signal: what it had done, and what is left where.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class CopyInterruptionTests : FolderTest
{
    private const int Large = 64 << 20;

    // More than the runtime writes by itself, and far less than the file has.
    private const int Begun = 2 << 20;

    [SkippableTheory]
    [InlineData("INT", ExitCode.Interrupted)]
    [InlineData("TERM", ExitCode.Terminated)]
    public async Task A_file_is_told_of_and_nothing_of_it_is_left(string signal, int exitCode)
    {
        Folder.Make("a.bin", Large);
        ToolRun run = await InterruptAsync(signal, "copy", "--bwlimit", "1M", "--json", "r.json", "a.bin", "b.bin");
        run.ExitCode.ShouldBe(exitCode, run.Error);
        run.Out.ShouldStartWith("a.bin -> b.bin: interrupted after ");
        run.Out.ShouldContain("of 64 MiB");
        run.Out.ShouldContain("; nothing of it is left");
        run.Error.ShouldBe("sluice: interrupted\n");
        Names().ShouldBe(["a.bin", "r.json"]);
        JsonElement result = Folder.Json("r.json");
        result.GetProperty("interrupted").GetBoolean().ShouldBeTrue();
        result.GetProperty("files").GetInt64().ShouldBe(0);
        result.GetProperty("bytes").GetInt64().ShouldBeInRange(1, Large - 1);
        JsonElement copy = result.GetProperty("copies")[0];
        copy.GetProperty("interrupted").GetBoolean().ShouldBeTrue();
    }

    [SkippableFact]
    public async Task A_limit_of_the_file_size_is_an_error_and_leaves_no_half_made_file()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Shell.Run("prlimit", "--version").ExitCode == 0, "it needs prlimit");
        Folder.Make("a.bin", 4 << 20);
        // The runtime itself would need larger files.
        string[] limited = ["env", "DOTNET_EnableWriteXorExecute=0", "prlimit", $"--fsize={1 << 20}"];
        using ToolProcess tool = ToolProcess.StartAs(limited, Folder.FullPath, "copy", "a.bin", "b.bin");
        CommandChecks.ShouldFail(await tool.EndAsync(), ExitCode.IoError, "large");
        Names().ShouldBe(["a.bin"]);
    }

    [SkippableFact]
    public async Task What_resume_keeps_is_named_and_gone_on_from()
    {
        byte[] content = File.ReadAllBytes(Folder.Make("a.bin", 8 << 20));
        ToolRun run = await InterruptAsync("INT", "copy", "--resume", "--bwlimit", "1M", "--json", "r.json", "a.bin", "b.bin");
        run.ExitCode.ShouldBe(ExitCode.Interrupted, run.Error);
        run.Out.ShouldContain("it is kept: the same command goes on from it");
        File.Exists(Folder[".b.bin.sluice-tmp"]).ShouldBeTrue();
        ToolRun next = await ToolRun.SucceedAsync("copy", "--resume", Folder["a.bin"], Folder["b.bin"]);
        next.Out.ShouldContain("were there already");
        File.ReadAllBytes(Folder["b.bin"]).ShouldBe(content);
    }

    [SkippableFact]
    public async Task Of_several_sources_those_that_were_copied_are_in_the_total_and_the_others_are_counted()
    {
        byte[] content = File.ReadAllBytes(Folder.Make("a.bin", 1000));
        Folder.Make("b.bin", Large);
        Folder.Make("c.bin", 1000);
        Directory.CreateDirectory(Folder["to"]);
        ToolRun run = await InterruptAsync(
            "TERM", "copy", "--bwlimit", "1M", "--json", "r.json", "--csv", "r.csv", "--html", "r.html", "a.bin", "b.bin", "c.bin", "to");
        run.ExitCode.ShouldBe(ExitCode.Terminated, run.Error);
        string[] lines = run.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        lines.Length.ShouldBe(3, run.Out);
        lines[0].ShouldStartWith("a.bin -> to/a.bin: 1000 B in ");
        lines[1].ShouldStartWith("b.bin -> to/b.bin: interrupted after ");
        lines[2].ShouldStartWith("total: 1 file, ");
        lines[2].ShouldEndWith("; interrupted; 1 not begun");
        File.ReadAllBytes(Folder["to/a.bin"]).ShouldBe(content);
        Directory.GetFileSystemEntries(Folder["to"]).ShouldBe([Folder["to/a.bin"]]);
        Folder.Json("r.json").GetProperty("interrupted").GetBoolean().ShouldBeTrue();
        Folder.Json("r.json").GetProperty("files").GetInt64().ShouldBe(1);
        Folder.Json("r.json").GetProperty("copies").GetArrayLength().ShouldBe(2);
        File.ReadAllText(Folder["r.html"]).ShouldContain("interrupted");
        File.ReadAllText(Folder["r.csv"]).ShouldContain("b.bin");
    }

    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_tree_says_where_its_files_are_and_is_gone_on_from(bool isThere)
    {
        // In a folder of its own, which another thread copies.
        Folder.Make("tree/in/small", 1000);
        byte[] content = File.ReadAllBytes(Folder.Make("tree/large", Large));
        Directory.CreateDirectory(Folder[isThere ? "to/tree" : "to"]);
        ToolRun run = await InterruptAsync("INT", "copy", "-r", "--bwlimit", "1M", "--json", "r.json", "tree", "to");
        run.ExitCode.ShouldBe(ExitCode.Interrupted, run.Error);
        run.Out.ShouldStartWith("tree -> to/tree: interrupted after 1 file, ");
        run.Out.ShouldEndWith("; what was copied stays, and -u goes on from it\n");
        Directory.GetFiles(Folder["to"], "*", SearchOption.AllDirectories).ShouldBe([Folder["to/tree/in/small"]]);
        JsonElement copy = Folder.Json("r.json").GetProperty("copies")[0];
        copy.GetProperty("files").GetInt64().ShouldBe(1);
        ToolRun next = await ToolRun.SucceedAsync("copy", "-ru", Folder["tree"], Folder["to"]);
        next.Out.ShouldContain("; 1 unchanged, skipped");
        File.ReadAllBytes(Folder["to/tree/large"]).ShouldBe(content);
    }

    [SkippableFact]
    public async Task A_shard_that_was_interrupted_is_no_whole_copy()
    {
        Folder.Make("tree/large", Large);
        Folder.Make("other/small", 1000);
        Directory.CreateDirectory(Folder["to"]);
        string[] copy = ["copy", "-r", "-f", "--shard", "0/1", Folder["tree"], Folder["other"], Folder["to"]];
        ToolRun run = await InterruptAsync("TERM", [.. copy, "--bwlimit", "1M", "--json", "r.json"]);
        run.ExitCode.ShouldBe(ExitCode.Terminated, run.Error);
        ToolRun merged = await ToolRun.RunAsync("merge", Folder["r.json"]);
        merged.ExitCode.ShouldBe(ExitCode.IoError, merged.Error);
        merged.Out.ShouldContain("shard 0 was interrupted: run it again");

        // What it did not begin is no other copy, and its last run counts.
        await ToolRun.SucceedAsync([.. copy, "--json", Folder["again.json"]]);
        await ToolRun.SucceedAsync("merge", Folder["again.json"], Folder["r.json"]);
    }

    private Task<ToolRun> InterruptAsync(string signal, params string[] arguments) => InterruptAsync(signal, Begun, arguments);

    private async Task<ToolRun> InterruptAsync(string signal, long writtenBytes, params string[] arguments)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals are sent by kill");
        using ToolProcess tool = ToolProcess.Start(Folder.FullPath, arguments);
        await tool.WaitUntilWrittenAsync(writtenBytes);
        tool.Signal(signal);
        return await tool.EndAsync();
    }

    private IEnumerable<string?> Names() =>
        Directory.GetFileSystemEntries(Folder.FullPath).Select(Path.GetFileName).Order(StringComparer.Ordinal);
}
