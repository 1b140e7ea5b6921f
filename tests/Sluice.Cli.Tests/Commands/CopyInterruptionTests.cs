using System.Text.Json;
using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice copy`, ended by a signal: what it had done, and what is left where.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class CopyInterruptionTests : IDisposable
{
    private const int Large = 64 << 20;

    // More than the runtime writes by itself, and far less than the file has.
    private const int Begun = 2 << 20;

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [SkippableTheory]
    [InlineData("INT", ExitCode.Interrupted)]
    [InlineData("TERM", ExitCode.Terminated)]
    public async Task A_file_is_told_of_and_nothing_of_it_is_left(string signal, int exitCode)
    {
        Make("a.bin", Large);
        ToolRun run = await InterruptAsync(signal, "copy", "--bwlimit", "1M", "--json", "r.json", "a.bin", "b.bin");
        run.ExitCode.ShouldBe(exitCode, run.Error);
        run.Out.ShouldStartWith("a.bin -> b.bin: interrupted after ");
        run.Out.ShouldContain("of 64 MiB");
        run.Out.ShouldContain("; nothing of it is left");
        run.Error.ShouldBe("sluice: interrupted\n");
        Names().ShouldBe(["a.bin", "r.json"]);
        JsonElement result = Result();
        result.GetProperty("interrupted").GetBoolean().ShouldBeTrue();
        result.GetProperty("files").GetInt64().ShouldBe(0);
        result.GetProperty("bytes").GetInt64().ShouldBeInRange(1, Large - 1);
        JsonElement copy = result.GetProperty("copies")[0];
        copy.GetProperty("interrupted").GetBoolean().ShouldBeTrue();
        copy.TryGetProperty("left", out _).ShouldBeFalse();
    }

    [SkippableFact]
    public async Task What_resume_keeps_is_named_and_gone_on_from()
    {
        byte[] content = Make("a.bin", 8 << 20);
        ToolRun run = await InterruptAsync("INT", "copy", "--resume", "--bwlimit", "1M", "--json", "r.json", "a.bin", "b.bin");
        run.ExitCode.ShouldBe(ExitCode.Interrupted, run.Error);
        run.Out.ShouldContain(".b.bin.sluice-tmp is kept: the same command goes on from it");
        string left = Result().GetProperty("copies")[0].GetProperty("left").GetString()!;
        Path.GetFullPath(left, _folder.FullPath).ShouldBe(_folder[".b.bin.sluice-tmp"]);
        File.Exists(_folder[".b.bin.sluice-tmp"]).ShouldBeTrue();
        ToolRun next = await ToolRun.RunAsync("copy", "--resume", _folder["a.bin"], _folder["b.bin"]);
        next.ExitCode.ShouldBe(ExitCode.Success, next.Error);
        next.Out.ShouldContain("were there already");
        File.ReadAllBytes(_folder["b.bin"]).ShouldBe(content);
    }

    [SkippableFact]
    public async Task Of_several_sources_those_that_were_copied_are_in_the_total_and_the_others_are_counted()
    {
        byte[] content = Make("a.bin", 1000);
        Make("b.bin", Large);
        Make("c.bin", 1000);
        Directory.CreateDirectory(_folder["to"]);
        ToolRun run = await InterruptAsync(
            "TERM", "copy", "--bwlimit", "1M", "--json", "r.json", "--csv", "r.csv", "--html", "r.html", "a.bin", "b.bin", "c.bin", "to");
        run.ExitCode.ShouldBe(ExitCode.Terminated, run.Error);
        string[] lines = run.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        lines.Length.ShouldBe(3, run.Out);
        lines[0].ShouldStartWith("a.bin -> to/a.bin: 1000 B in ");
        lines[1].ShouldStartWith("b.bin -> to/b.bin: interrupted after ");
        lines[2].ShouldStartWith("total: 1 file, ");
        lines[2].ShouldEndWith("; interrupted; 1 not begun");
        File.ReadAllBytes(_folder["to/a.bin"]).ShouldBe(content);
        Directory.GetFileSystemEntries(_folder["to"]).ShouldBe([_folder["to/a.bin"]]);
        Result().GetProperty("interrupted").GetBoolean().ShouldBeTrue();
        Result().GetProperty("files").GetInt64().ShouldBe(1);
        Result().GetProperty("copies").GetArrayLength().ShouldBe(2);
        File.ReadAllText(_folder["r.html"]).ShouldContain("interrupted");
        File.ReadAllText(_folder["r.csv"]).ShouldContain("b.bin");
    }

    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_tree_says_where_its_files_are_and_is_gone_on_from(bool isThere)
    {
        // In a folder of its own, which another thread copies.
        Make("tree/in/small", 1000);
        byte[] content = Make("tree/large", Large);
        Directory.CreateDirectory(_folder[isThere ? "to/tree" : "to"]);
        ToolRun run = await InterruptAsync("INT", "copy", "-r", "--bwlimit", "1M", "--json", "r.json", "tree", "to");
        run.ExitCode.ShouldBe(ExitCode.Interrupted, run.Error);
        run.Out.ShouldStartWith("tree -> to/tree: interrupted after 1 file, ");
        run.Out.ShouldEndWith("; what was copied is in to/tree, and -u goes on from it\n");
        Directory.GetFiles(_folder["to"], "*", SearchOption.AllDirectories).ShouldBe([_folder["to/tree/in/small"]]);
        JsonElement copy = Result().GetProperty("copies")[0];
        copy.GetProperty("files").GetInt64().ShouldBe(1);
        copy.GetProperty("left").GetString().ShouldBe("to/tree");
        ToolRun next = await ToolRun.RunAsync("copy", "-ru", _folder["tree"], _folder["to"]);
        next.ExitCode.ShouldBe(ExitCode.Success, next.Error);
        next.Out.ShouldContain("; 1 unchanged, skipped");
        File.ReadAllBytes(_folder["to/tree/large"]).ShouldBe(content);
    }

    [SkippableFact]
    public async Task What_had_failed_in_a_tree_before_is_told()
    {
        // In a folder of its own, which another thread copies.
        Make("tree/in/there", 1000);
        Make("to/tree/in/there", 1000);
        Make("tree/large", Large);
        ToolRun run = await InterruptAsync(
            "INT", "copy", "-r", "--bwlimit", "1M", "--json", "r.json", "--html", "r.html", "tree", "to");
        run.ExitCode.ShouldBe(ExitCode.Interrupted, run.Error);
        string[] lines = run.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        lines.Length.ShouldBe(3, run.Error);
        lines[0].ShouldContain("to/tree/in/there");
        lines[1].ShouldBe("sluice: what was there is left as it was; --force replaces it");
        lines[2].ShouldBe("sluice: interrupted");
        run.Out.ShouldEndWith("; 1 failed; what was copied is in to/tree, and -u goes on from it\n");
        Result().GetProperty("failed").GetInt32().ShouldBe(1);
        Result().GetProperty("copies")[0].GetProperty("failures")[0].GetString()!.ShouldContain("to/tree/in/there");
        File.ReadAllText(_folder["r.html"]).ShouldContain("the target is there already");
    }

    [SkippableFact]
    public async Task A_shard_that_was_interrupted_is_no_whole_copy()
    {
        Make("tree/large", Large);
        Make("other/small", 1000);
        Directory.CreateDirectory(_folder["to"]);
        string[] copy = ["copy", "-r", "-f", "--shard", "0/1", _folder["tree"], _folder["other"], _folder["to"]];
        ToolRun run = await InterruptAsync("TERM", [.. copy, "--bwlimit", "1M", "--json", "r.json"]);
        run.ExitCode.ShouldBe(ExitCode.Terminated, run.Error);
        ToolRun merged = await ToolRun.RunAsync("merge", _folder["r.json"]);
        merged.ExitCode.ShouldBe(ExitCode.IoError, merged.Error);
        merged.Out.ShouldContain("shard 0 was interrupted: run it again");

        // What it did not begin is no other copy, and its last run counts.
        (await ToolRun.RunAsync([.. copy, "--json", _folder["again.json"]])).ExitCode.ShouldBe(ExitCode.Success);
        merged = await ToolRun.RunAsync("merge", _folder["again.json"], _folder["r.json"]);
        merged.ExitCode.ShouldBe(ExitCode.Success, merged.Error);
    }

    private Task<ToolRun> InterruptAsync(string signal, params string[] arguments) => InterruptAsync(signal, Begun, arguments);

    private async Task<ToolRun> InterruptAsync(string signal, long writtenBytes, params string[] arguments)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "signals are sent by kill");
        using ToolProcess tool = ToolProcess.Start(_folder.FullPath, arguments);
        await tool.WaitUntilWrittenAsync(writtenBytes);
        tool.Signal(signal);
        return await tool.EndAsync();
    }

    private IEnumerable<string?> Names() =>
        Directory.GetFileSystemEntries(_folder.FullPath).Select(Path.GetFileName).Order(StringComparer.Ordinal);

    private JsonElement Result() => JsonDocument.Parse(File.ReadAllBytes(_folder["r.json"])).RootElement;

    private byte[] Make(string name, int length)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(_folder[name])!);
        byte[] content = new byte[length];
        new Random(length).NextBytes(content);
        File.WriteAllBytes(_folder[name], content);
        return content;
    }
}
