using System.Text;
using System.Text.Json;
using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>What `sluice copy` copies and leaves out, and what it says of it.</summary>
public sealed class CopySelectionTests : FolderTest
{
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
        (string one, string two) = (Folder.Make("one", 1000), Folder.Make("two", 500));
        Directory.CreateDirectory(Folder["into"]);
        string[] lines = await CopyAsync(one, two, Folder["into"]);
        lines.Length.ShouldBe(3);
        lines[0].ShouldStartWith($"{one} -> {Folder["into/one"]}: 1000 B in ");
        lines[1].ShouldStartWith($"{two} -> {Folder["into/two"]}: 500 B in ");
        lines[2].ShouldStartWith("total: 2 files, 1.46 KiB in ");
        (await CopyAsync(one, Folder["alone"])).Length.ShouldBe(1);
    }

    /// <summary>Options that users of cp and rsync type.</summary>
    [SkippableTheory]
    [InlineData("-v")]
    [InlineData("-av")]
    [InlineData("-av --progress")]
    [InlineData("-r --verbose")]
    public async Task Verbose_and_progress_are_what_happens_without_quiet(string options)
    {
        Skip.If(options.Contains('a') && !OperatingSystem.IsLinux(), "metadata are copied by Linux alone");
        string one = Folder.Make("one", 1000);
        string[] lines = await CopyAsync([.. options.Split(' '), one, Folder["copied"]]);
        lines.ShouldHaveSingleItem().ShouldStartWith($"{one} -> {Folder["copied"]}: 1000 B in ");
    }

    [SkippableFact]
    public async Task What_is_excluded_is_left_out_by_name_and_by_path()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "leaving parts of a tree out is Linux's");
        foreach (string name in (string[])["tree/a.o", "tree/a.c", "tree/sub/b.o", "tree/sub/keep", "tree/obj/x", "tree/sub/obj/x"])
            Folder.Make(name, 10);
        string[] lines = await CopyAsync("-r", "--exclude", "*.o", "--exclude=/obj", Folder["tree"], Folder["copied"]);
        lines[0].ShouldContain("3 files in 3 folders");
        Names("copied").ShouldBe(["a.c", "sub", "sub/keep", "sub/obj", "sub/obj/x"]);
        await CopyAsync("-r", "--exclude", "*/obj", Folder["tree"], Folder["other"]);
        Directory.Exists(Folder["other/obj"]).ShouldBeTrue();
        Directory.Exists(Folder["other/sub/obj"]).ShouldBeFalse();

        Directory.CreateDirectory(Folder["into"]);
        await CopyAsync("--exclude", "*.o", Folder["tree/a.o"], Folder["tree/a.c"], Folder["into"]);
        Names("into").ShouldBe(["a.c"]);
        await CommandChecks.RefusesAsync("nothing was copied", "copy", "-q", "--exclude", "*", Folder["tree/a.o"], Folder["into"]);
        await File.WriteAllTextAsync(Folder["list"], Folder["tree/a.o"]);
        (await CopyAsync("--exclude", "*.o", "--files-from", Folder["list"], Folder["into"]))
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
            Folder.Make(name, 10);
        await CopyAsync("-r", "--exclude", pattern, Path.Combine(Folder["tree"], last), Folder["to"]);
        Names("to").ShouldBe(left);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_update_skips_what_is_unchanged_and_replaces_the_rest(bool isTree)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "skipping what is unchanged is Linux's");
        string same = Folder.Make("tree/same", 10);
        string changed = Folder.Make("tree/changed", 20);
        // .NET sets times in steps of 100 ns.
        File.SetLastWriteTimeUtc(same, DateTime.UnixEpoch.AddDays(10_000));
        string[] arguments = isTree ? ["-r", "--update", Folder["tree/."], Folder["to"]] : ["-u", same, changed, Folder["to"]];
        Directory.CreateDirectory(Folder["to"]);
        (await CopyAsync(arguments)).ShouldContain(l => l.Contains("2 files"));
        File.WriteAllBytes(changed, new byte[30]);
        DateTime marked = File.GetLastWriteTimeUtc(Folder["to/same"]);
        File.WriteAllBytes(Folder["to/same"], new byte[10]);
        File.SetLastWriteTimeUtc(Folder["to/same"], marked);

        (await CopyAsync(arguments)).ShouldContain(l => l.Contains("1 unchanged, skipped"));
        File.ReadAllBytes(Folder["to/changed"]).ShouldBe(new byte[30]);
        File.ReadAllBytes(Folder["to/same"]).ShouldBe(new byte[10], "length and time are all that is looked at");

        File.SetLastWriteTimeUtc(Folder["to/same"], marked.AddSeconds(1));
        await CopyAsync(arguments);
        File.ReadAllBytes(Folder["to/same"]).ShouldBe(File.ReadAllBytes(same));
    }

    [Fact]
    public async Task A_dry_run_says_what_would_be_copied_and_copies_nothing()
    {
        Folder.Make("tree/new", 10);
        Folder.Make("tree/there", 20);
        Folder.Make("tree/x.o", 20);
        Folder.Make("to/there", 5);
        ToolRun run = await ToolRun.RunAsync("copy", "-rn", "--exclude", "*.o", Folder["tree/."], Folder["to"]);
        run.ExitCode.ShouldBe(ExitCode.IoError, run.Error);
        run.Out.TrimEnd().Split('\n').ShouldBe(
        [
            $"copy          {Folder["tree/new"]} -> {Folder["to/new"]}",
            $"needs --force {Folder["tree/there"]} -> {Folder["to/there"]}",
            "dry run, nothing was copied: 1 file, 10 B; 1 would fail",
        ]);
        Names("to").ShouldBe(["there"]);
        new FileInfo(Folder["to/there"]).Length.ShouldBe(5);

        string[] lines = await CopyAsync("-rfn", Folder["tree/."], Folder["to"]);
        lines.ShouldContain($"replace       {Folder["tree/there"]} -> {Folder["to/there"]}");
        lines[^1].ShouldBe("dry run, nothing was copied: 3 files, 50 B");
        new FileInfo(Folder["to/there"]).Length.ShouldBe(5);
    }

    [Fact]
    public async Task Sources_may_come_from_a_file_or_from_stdin()
    {
        string names = $"{Folder.Make("one", 1)}\n\n{Folder.Make("two and a half", 2)}\r\n";
        await File.WriteAllTextAsync(Folder["list"], names);
        Directory.CreateDirectory(Folder["into"]);
        await CopyAsync("--files-from", Folder["list"], Folder["into"]);
        Names("into").ShouldBe(["one", "two and a half"]);

        Directory.CreateDirectory(Folder["again"]);
        ToolRun run = await ToolRun.RunAsync(["copy", "--files-from", "-", Folder["again"]], names, CancellationToken.None);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        Names("again").ShouldBe(["one", "two and a half"]);
        await CommandChecks.FailsAsync("missing", "copy", "--files-from", Folder["missing"], Folder["again"]);
        await CommandChecks.FailsAsync("none: no such file", "copy", "--files-from", Folder["none"], Folder["into"]);
    }

    [Fact]
    public async Task A_listed_name_that_is_not_valid_UTF8_does_not_stand_for_another_file()
    {
        File.WriteAllText(Folder["a\uFFFD"], "another");
        await File.WriteAllBytesAsync(Folder["list"], [.. Encoding.UTF8.GetBytes(Folder["a"]), 0xFF, (byte)'\n']);
        await CommandChecks.RefusesAsync("is not valid UTF-8", "copy", "--files-from", Folder["list"], Folder["to"]);
        File.Exists(Folder["to"]).ShouldBeFalse();
    }

    [Fact]
    public async Task Json_has_flat_fields_that_compare_reads()
    {
        string source = Folder.Make("a", 100_000);
        string json = Folder["r.json"];
        await CopyAsync("--json", json, source, Folder["b"]);
        using JsonDocument document = JsonDocument.Parse(await File.ReadAllTextAsync(json));
        JsonElement root = document.RootElement;
        root.GetProperty("formatVersion").GetInt32().ShouldBe(1);
        root.GetProperty("bytes").GetInt64().ShouldBe(100_000);
        root.GetProperty("failed").GetInt32().ShouldBe(0);
        JsonElement copy = root.GetProperty("copies")[0];
        copy.GetProperty("source").GetString().ShouldBe(source);
        copy.GetProperty("target").GetString().ShouldBe(Folder["b"]);
        copy.GetProperty("method").GetString().ShouldBeOneOf("range", "buffered", "reflink");
        copy.GetProperty("miBPerSecond").GetDouble().ShouldBeGreaterThan(0);
        await ToolRun.SucceedAsync("compare", json, json);
    }

    private static async Task<string[]> CopyAsync(params string[] arguments)
    {
        ToolRun run = await ToolRun.SucceedAsync(["copy", .. arguments]);
        return run.Out.TrimEnd().Split('\n');
    }

    private string[] Names(string folder) =>
    [
        .. Directory.EnumerateFileSystemEntries(Folder[folder], "*", SearchOption.AllDirectories)
            .Select(p => Path.GetRelativePath(Folder[folder], p)).Order(StringComparer.Ordinal),
    ];
}
