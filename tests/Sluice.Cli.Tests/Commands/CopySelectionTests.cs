using System.Text.Json;
using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>What `sluice copy` copies and leaves out, and what it says of it.</summary>
public sealed class CopySelectionTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("copy --dry-run --json x a b")]
    [InlineData("copy --dry-run --demo")]
    [InlineData("copy --bwlimit fast a b")]
    [InlineData("copy --bwlimit 0 a b")]
    [InlineData("copy --depth 8 a b")]
    [InlineData("copy --depth 8 --method buffered a b")]
    [InlineData("copy --depth 8 --method reflink a b")]
    [InlineData("copy --resume -r a b")]
    [InlineData("copy --files-from x")]
    [InlineData("copy b\uFFFDd x")]
    [InlineData("speed b\uFFFDd")]
    [InlineData("copy --demo --files-from x .")]
    public Task What_makes_no_sense_is_refused(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Fact]
    public async Task Each_line_names_source_and_target_and_the_last_one_is_the_total()
    {
        (string one, string two) = (Make("one", 1000), Make("two", 500));
        Directory.CreateDirectory(_folder["into"]);
        string[] lines = await CopyAsync(one, two, _folder["into"]);
        lines.Length.ShouldBe(3);
        lines[0].ShouldStartWith($"{one} -> {_folder["into/one"]}: 1000 B in ");
        lines[1].ShouldStartWith($"{two} -> {_folder["into/two"]}: 500 B in ");
        lines[2].ShouldStartWith("total: 2 files, 1.46 KiB in ");
        (await CopyAsync(one, _folder["alone"])).Length.ShouldBe(1);
    }

    [SkippableFact]
    public async Task What_is_excluded_is_left_out_by_name_and_by_path()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "leaving parts of a tree out is Linux's");
        foreach (string name in (string[])["tree/a.o", "tree/a.c", "tree/sub/b.o", "tree/sub/keep", "tree/obj/x", "tree/sub/obj/x"])
            Make(name, 10);
        string[] lines = await CopyAsync("-r", "--exclude", "*.o", "--exclude=/obj", _folder["tree"], _folder["copied"]);
        lines[0].ShouldContain("3 files in 3 folders");
        Names("copied").ShouldBe(["a.c", "sub", "sub/keep", "sub/obj", "sub/obj/x"]);
        await CopyAsync("-r", "--exclude", "*/obj", _folder["tree"], _folder["other"]);
        Directory.Exists(_folder["other/obj"]).ShouldBeTrue();
        Directory.Exists(_folder["other/sub/obj"]).ShouldBeFalse();

        Directory.CreateDirectory(_folder["into"]);
        await CopyAsync("--exclude", "*.o", _folder["tree/a.o"], _folder["tree/a.c"], _folder["into"]);
        Names("into").ShouldBe(["a.c"]);
        ToolRun none = await ToolRun.RunAsync("copy", "-q", "--exclude", "*", _folder["tree/a.o"], _folder["into"]);
        none.ExitCode.ShouldBe(ExitCode.Usage, none.Error);
        none.Error.ShouldContain("nothing was copied");
        await File.WriteAllTextAsync(_folder["list"], _folder["tree/a.o"]);
        (await CopyAsync("--exclude", "*.o", "--files-from", _folder["list"], _folder["into"]))
            .ShouldBe(["nothing was copied: no source is left"]);
    }

    [SkippableTheory]
    [InlineData(".*", ".", "a", "sub", "sub/build", "sub/tree")]
    [InlineData("?", ".", ".hidden", "sub", "sub/build", "sub/tree")]
    [InlineData("*/..", ".", ".hidden", "a", "sub", "sub/build", "sub/tree")]
    [InlineData("/tree", "", ".hidden", "a", "sub", "sub/build", "sub/tree")]
    [InlineData("/sub", ".", ".hidden", "a")]
    [InlineData("build/", ".", ".hidden", "a", "sub", "sub/build", "sub/tree")]
    [InlineData("sub/", "", ".hidden", "a")]
    [InlineData("sub/tree/", "", ".hidden", "a", "sub", "sub/build")]
    public async Task A_source_without_a_name_is_not_left_out_nor_one_by_a_path(string pattern, string last, params string[] left)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "leaving parts of a tree out is Linux's");
        foreach (string name in (string[])["tree/.hidden", "tree/a", "tree/sub/build", "tree/sub/tree"])
            Make(name, 10);
        await CopyAsync("-r", "--exclude", pattern, Path.Combine(_folder["tree"], last), _folder["to"]);
        Names("to").ShouldBe(left);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_update_skips_what_is_unchanged_and_replaces_the_rest(bool isTree)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "skipping what is unchanged is Linux's");
        string same = Make("tree/same", 10);
        string changed = Make("tree/changed", 20);
        // .NET sets times in steps of 100 ns.
        File.SetLastWriteTimeUtc(same, DateTime.UnixEpoch.AddDays(10_000));
        string[] arguments = isTree ? ["-r", "--update", _folder["tree/."], _folder["to"]] : ["-u", same, changed, _folder["to"]];
        Directory.CreateDirectory(_folder["to"]);
        (await CopyAsync(arguments)).ShouldContain(l => l.Contains("2 files"));
        File.WriteAllBytes(changed, new byte[30]);
        DateTime marked = File.GetLastWriteTimeUtc(_folder["to/same"]);
        File.WriteAllBytes(_folder["to/same"], new byte[10]);
        File.SetLastWriteTimeUtc(_folder["to/same"], marked);

        (await CopyAsync(arguments)).ShouldContain(l => l.Contains("1 unchanged, skipped"));
        File.ReadAllBytes(_folder["to/changed"]).ShouldBe(new byte[30]);
        File.ReadAllBytes(_folder["to/same"]).ShouldBe(new byte[10], "length and time are all that is looked at");

        File.SetLastWriteTimeUtc(_folder["to/same"], marked.AddSeconds(1));
        await CopyAsync(arguments);
        File.ReadAllBytes(_folder["to/same"]).ShouldBe(File.ReadAllBytes(same));
    }

    [Fact]
    public async Task A_dry_run_says_what_would_be_copied_and_copies_nothing()
    {
        Make("tree/new", 10);
        Make("tree/there", 20);
        Make("tree/x.o", 20);
        Make("to/there", 5);
        ToolRun run = await ToolRun.RunAsync("copy", "-rn", "--exclude", "*.o", _folder["tree/."], _folder["to"]);
        run.ExitCode.ShouldBe(ExitCode.IoError, run.Error);
        run.Out.TrimEnd().Split('\n').ShouldBe(
        [
            $"copy          {_folder["tree/new"]} -> {_folder["to/new"]}",
            $"needs --force {_folder["tree/there"]} -> {_folder["to/there"]}",
            "dry run, nothing was copied: 1 file, 10 B; 1 would fail",
        ]);
        Names("to").ShouldBe(["there"]);
        new FileInfo(_folder["to/there"]).Length.ShouldBe(5);

        string[] lines = await CopyAsync("-rfn", _folder["tree/."], _folder["to"]);
        lines.ShouldContain($"replace       {_folder["tree/there"]} -> {_folder["to/there"]}");
        lines[^1].ShouldBe("dry run, nothing was copied: 3 files, 50 B");
        new FileInfo(_folder["to/there"]).Length.ShouldBe(5);
    }

    [Fact]
    public async Task Sources_may_come_from_a_file_or_from_stdin()
    {
        string names = $"{Make("one", 1)}\n\n{Make("two and a half", 2)}\r\n";
        await File.WriteAllTextAsync(_folder["list"], names);
        Directory.CreateDirectory(_folder["into"]);
        await CopyAsync("--files-from", _folder["list"], _folder["into"]);
        Names("into").ShouldBe(["one", "two and a half"]);

        Directory.CreateDirectory(_folder["again"]);
        ToolRun run = await ToolRun.RunAsync(["copy", "--files-from", "-", _folder["again"]], names, CancellationToken.None);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        Names("again").ShouldBe(["one", "two and a half"]);
        await CommandChecks.FailsAsync("missing", "copy", "--files-from", _folder["missing"], _folder["again"]);
        await CommandChecks.FailsAsync("none: no such file", "copy", "--files-from", _folder["none"], _folder["into"]);
    }

    [Fact]
    public async Task Json_has_flat_fields_that_compare_reads()
    {
        string source = Make("a", 100_000);
        string json = _folder["r.json"];
        await CopyAsync("--json", json, source, _folder["b"]);
        using JsonDocument document = JsonDocument.Parse(await File.ReadAllTextAsync(json));
        JsonElement root = document.RootElement;
        root.GetProperty("formatVersion").GetInt32().ShouldBe(1);
        root.GetProperty("bytes").GetInt64().ShouldBe(100_000);
        root.GetProperty("failed").GetInt32().ShouldBe(0);
        JsonElement copy = root.GetProperty("copies")[0];
        copy.GetProperty("source").GetString().ShouldBe(source);
        copy.GetProperty("target").GetString().ShouldBe(_folder["b"]);
        copy.GetProperty("method").GetString().ShouldBeOneOf("range", "buffered", "reflink");
        copy.GetProperty("miBPerSecond").GetDouble().ShouldBeGreaterThan(0);
        (await ToolRun.RunAsync("compare", json, json)).ExitCode.ShouldBe(ExitCode.Success);
    }

    private static async Task<string[]> CopyAsync(params string[] arguments)
    {
        ToolRun run = await ToolRun.RunAsync(["copy", .. arguments]);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        return run.Out.TrimEnd().Split('\n');
    }

    private string[] Names(string folder) =>
    [
        .. Directory.EnumerateFileSystemEntries(_folder[folder], "*", SearchOption.AllDirectories)
            .Select(p => Path.GetRelativePath(_folder[folder], p)).Order(StringComparer.Ordinal),
    ];

    private string Make(string name, int length)
    {
        string path = _folder[name];
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        byte[] content = new byte[length];
        new Random(length).NextBytes(content);
        File.WriteAllBytes(path, content);
        return path;
    }
}
