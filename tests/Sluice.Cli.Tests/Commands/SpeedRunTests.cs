using System.Globalization;
using System.Text.Json;
using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>Runs with short times and small files; what is asserted is that they did what was asked, never how fast.</summary>
public sealed class SpeedRunTests : FolderTest
{
    private string FilePath => Folder["a.dat"];

    private Task<ToolRun> SpeedAsync(string options) =>
        ToolRun.SucceedAsync(["speed", .. options.Split(' ', StringSplitOptions.RemoveEmptyEntries), FilePath]);

    private async Task<JsonElement> JsonAsync(string options)
    {
        ToolRun run = await SpeedAsync($"{options} --json {Folder["result.json"]}");
        run.Error.ShouldBe("");
        return Folder.Json("result.json");
    }

    // The documented command lines in small: the forms are the same, times and sizes are not.
    [Theory]
    [InlineData("-t0.1 -b64K -r1M -s0", 1024 * 1024)]
    [InlineData("-t0.1 -p2M", 2 * 1024 * 1024)]
    [InlineData("-t0.1 -w2M -p", 2 * 1024 * 1024)]
    [InlineData("-t0.1 -a2 -b256K -r1M", 1024 * 1024)]
    [InlineData("--time 0.1 --block 64K --read 1M --seek 0", 1024 * 1024)]
    [InlineData("--time=0.1 --extend=1M", 1024 * 1024)]
    public async Task Documented_command_lines_run_and_make_the_missing_file(string options, long sizeBytes)
    {
        ToolRun run = await SpeedAsync(options);
        run.Error.ShouldBe("");
        run.Out.ShouldContain("MiB/s");
        run.Out.ShouldContain("99.999 %");
        new FileInfo(FilePath).Length.ShouldBe(sizeBytes);
    }

    [Fact]
    public async Task Its_json_goes_to_stdout_alone_where_that_is_asked_for()
    {
        ToolRun run = await SpeedAsync("-t0.05 --warmup 0 -r1M --json -");
        using JsonDocument json = JsonDocument.Parse(run.Out);
        json.RootElement.GetProperty("formatVersion").GetInt32().ShouldBe(1);
        json.RootElement.GetProperty("sides").GetArrayLength().ShouldBe(1);
        run.Error.ShouldContain("MiB/s");
        File.Exists("-").ShouldBeFalse();
    }

    /// <summary>Where it cannot be told whether a disk is behind it, the run says so; the figures may be of somebody's memory.</summary>
    [Trait("Tier", "slow")]
    [SkippableTheory]
    [InlineData("overlay", "-d", "direct")]
    [InlineData("overlay", "-c --cache cold", "cold")]
    [InlineData("fuse", "-d", "direct")]
    [InlineData("fuse", "--cache cold", "cold")]
    public async Task Direct_and_cold_are_no_plain_words_on_a_file_system_over_another(string kind, string options, string word)
    {
        using TestVolume volume =
            kind == "fuse" ? TestVolume.MountBindfs(Folder.FullPath) : TestVolume.MountOverlay(Folder.FullPath);
        string[] typed = ["speed", "-t0.05", "--warmup", "0", "-r1M", .. options.Split(' ').Where(o => o != "-c")];
        ToolRun run = await ToolRun.SucceedAsync([.. typed, Path.Combine(volume.Path, "a.dat")]);
        run.Out.ShouldMatch($"{word}: asked for, but {kind}");
    }

    [Fact]
    public async Task A_file_is_made_of_random_bytes_not_zeros()
    {
        await SpeedAsync("-t0.05 -r1M");
        byte[] bytes = await File.ReadAllBytesAsync(FilePath);
        bytes.Count(b => b == 0).ShouldBeInRange(1024 * 1024 / 256 / 2, 1024 * 1024 / 256 * 2);
    }

    [Fact]
    public async Task A_smaller_file_is_extended_to_the_size_asked_for_and_keeps_its_contents()
    {
        byte[] before = [.. Enumerable.Range(0, 100_000).Select(i => (byte)i)];
        await File.WriteAllBytesAsync(FilePath, before);
        ToolRun run = await SpeedAsync("-t0.05 -r1M");
        run.Out.ShouldContain("extended");
        byte[] after = await File.ReadAllBytesAsync(FilePath);
        after.Length.ShouldBe(1024 * 1024);
        after.AsSpan(0, before.Length).SequenceEqual(before).ShouldBeTrue();
    }

    [Fact]
    public async Task Reading_a_larger_file_changes_nothing()
    {
        byte[] before = new byte[300_000];
        new Random(1).NextBytes(before);
        await File.WriteAllBytesAsync(FilePath, before);
        await SpeedAsync("-t0.05 -r100K -b4K -s100 -a8 -c");
        (await File.ReadAllBytesAsync(FilePath)).AsSpan().SequenceEqual(before).ShouldBeTrue();
    }

    [Fact]
    public async Task Writing_replaces_the_contents_and_keeps_the_size()
    {
        await File.WriteAllBytesAsync(FilePath, new byte[1024 * 1024]);
        await SpeedAsync("-t0.2 -w1M -b64K --force");
        byte[] after = await File.ReadAllBytesAsync(FilePath);
        after.Length.ShouldBe(1024 * 1024);
        after.Count(b => b != 0).ShouldBeGreaterThan(64 * 1024 / 2);
    }

    [Theory]
    [InlineData("-x300001")]
    [InlineData("-p300001")]
    [InlineData("-x300001 -d")]
    public async Task Creating_makes_exactly_the_size_even_if_requests_do_not_fit_evenly(string create)
    {
        await File.WriteAllTextAsync(FilePath, "old");
        JsonElement report = await JsonAsync($"-t0 {create} -b64K --force");
        new FileInfo(FilePath).Length.ShouldBe(300001);
        report.GetProperty("creations")[0].GetProperty("sizeBytes").GetInt64().ShouldBe(300001);
        report.GetProperty("creations")[0].GetProperty("method").GetString().ShouldBe(create[1] == 'x' ? "extend" : "preallocate");
        report.GetProperty("sides").GetArrayLength().ShouldBe(0);
        report.GetProperty("workload").GetProperty("operation").GetString().ShouldBe("create");
    }

    [Theory]
    [InlineData("")]
    [InlineData("-a4")]
    [InlineData("-d")]
    [InlineData("-d -a4")]
    [InlineData("--cache hot")]
    [InlineData("--cache cold")]
    [InlineData("--cache cold -s50 -a2")]
    [InlineData("--mix 50:50 -s100")]
    [InlineData("--mix 50:50 -s100 -a4 -d")]
    [InlineData("-w -a3")]
    public async Task Counts_agree_with_each_other_on_both_engines(string options)
    {
        JsonElement report = await JsonAsync($"-t0.2 -p512K -b4K --engine both --force {options}");
        JsonElement[] sides = [.. report.GetProperty("sides").EnumerateArray()];
        sides.Select(s => s.GetProperty("side").GetString()).ShouldBe(["sluice", "bcl"]);
        foreach (JsonElement side in sides)
        {
            long operations = side.GetProperty("operations").GetInt64();
            operations.ShouldBeGreaterThan(0);
            side.GetProperty("bytes").GetInt64().ShouldBe(operations * 4096);
            long Count(string name) => side.GetProperty(name) is { ValueKind: JsonValueKind.Object } latency
                ? latency.GetProperty("count").GetInt64() : 0;
            (Count("readLatency") + Count("writeLatency")).ShouldBe(operations);
            long writes = Count("writeLatency");
            if (options.Contains("-w", StringComparison.Ordinal))
                writes.ShouldBe(operations);
            else if (!options.Contains("mix", StringComparison.Ordinal))
                writes.ShouldBe(0);
            else if (operations > 100)
                writes.ShouldBeInRange(1, operations - 1);
        }
        report.GetProperty("ratio").GetDouble().ShouldBeGreaterThan(0);
        report.GetProperty("creations").GetArrayLength().ShouldBe(2);
    }

    [SkippableFact]
    public async Task Direct_requests_are_seen_in_flight_at_the_device()
    {
        Skip.If(
            EnvironmentProbe.DeviceOf(Folder.FullPath)?.QueueMilliseconds is null, "the folder lies on no block device that can be asked");
        JsonElement report = await JsonAsync("-t0.5 -r8M -b64K -s100 -a8 -d --engine both");
        JsonElement[] sides = [.. report.GetProperty("sides").EnumerateArray()];
        Skip.If(sides.Any(s => s.GetProperty("caching").GetString() != "direct"), "no direct I/O here");
        foreach (JsonElement side in sides)
            // Too few to be seen by a clock of milliseconds, where the machine had no time for more.
            if (side.GetProperty("operations").GetInt64() > 200)
                side.GetProperty("inFlightMean").GetDouble().ShouldBeGreaterThan(0);
    }

    [Fact]
    public async Task A_rate_limit_issues_no_more_than_was_due()
    {
        JsonElement report = await JsonAsync("-t0.5 -r1M -b4K --iops 200 -a4 --warmup 0");
        JsonElement side = report.GetProperty("sides")[0];
        // Due in half a second at 200 a second, the first at once: 100.
        side.GetProperty("operations").GetInt64().ShouldBeInRange(1, 100);
        side.GetProperty("serviceTime").GetProperty("count").GetInt64().ShouldBe(side.GetProperty("operations").GetInt64());
        report.GetProperty("workload").GetProperty("offeredIops").GetDouble().ShouldBe(200);
        // The whole time counts, not only until the last request ended: a rate above what was offered would be a lie.
        side.GetProperty("iops").GetDouble().ShouldBeLessThanOrEqualTo(200);
    }

    [Fact]
    public async Task The_JSON_says_what_was_run_and_where()
    {
        JsonElement report = await JsonAsync("-t0.1 -r1M -b8K -s25 --seed 5 -c");
        report.GetProperty("formatVersion").GetInt32().ShouldBe(1);
        report.GetProperty("interrupted").GetBoolean().ShouldBeFalse();
        report.GetProperty("arguments")[0].GetString().ShouldBe("speed");
        JsonElement load = report.GetProperty("workload");
        load.GetProperty("file").GetString().ShouldBe(FilePath);
        load.GetProperty("requestSizeBytes").GetInt32().ShouldBe(8192);
        load.GetProperty("seekPercent").GetDouble().ShouldBe(25);
        load.GetProperty("seed").GetInt32().ShouldBe(5);
        load.GetProperty("touchEveryByte").GetBoolean().ShouldBeTrue();
        JsonElement environment = report.GetProperty("environment");
        foreach (string name in new[] { "kernel", "runtime", "engine", "processor", "operatingSystem" })
            environment.GetProperty(name).GetString().ShouldNotBeNullOrEmpty(name);
        JsonElement side = report.GetProperty("sides")[0];
        side.GetProperty("engine").GetString().ShouldBe(SluiceEngines.Default.Name);
        side.GetProperty("caching").GetString().ShouldBe("cached");
    }

    [Theory]
    [InlineData("-t0.1 -r1M")]
    [InlineData("-t0.1 -p1M --engine both -a2")]
    [InlineData("-t0 -x1M")]
    public async Task Quiet_prints_one_line_with_a_value_for_each_column(string options)
    {
        ToolRun run = await SpeedAsync($"-q {options}");
        string line = run.Out.TrimEnd('\n');
        line.ShouldNotContain("\n");
        string[] cells = line.Split(',');
        cells.Length.ShouldBe(SpeedCsv.Columns.Count);
        cells[SpeedCsv.Columns.ToList().IndexOf("file_bytes")].ShouldBe((1024 * 1024).ToString(CultureInfo.InvariantCulture));
    }

    [Fact]
    public async Task The_latencies_in_the_line_of_a_mix_are_those_of_its_writes()
    {
        ToolRun run = await SpeedAsync($"-q -t0.2 --warmup 0 -b4K -r1M --mix 50:50 --json {Folder["result.json"]}");
        JsonElement write = Folder.Json("result.json").GetProperty("sides")[0].GetProperty("writeLatency");
        run.Out.Split(',')[SpeedCsv.Columns.ToList().IndexOf("mean_us")].ShouldBe($"{write.GetProperty("meanUs").GetDouble():0.####}");
    }

    [Fact]
    public async Task Progress_on_stderr_does_not_mix_into_the_result()
    {
        ToolRun run = await ToolRun.RunAsync(
            ["speed", "-t0.6", "-r1M", FilePath], input: null, CancellationToken.None, errorIsTerminal: true);
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Error.ShouldNotBe("");
        run.Out.ShouldStartWith($"{FilePath}, 1 MiB: read");
        run.Out.ShouldNotContain("\e");
    }

    [Fact]
    public async Task Direct_says_why_where_the_file_system_refuses_it()
    {
        JsonElement report = await JsonAsync("-t0.1 -r1M -d");
        JsonElement side = report.GetProperty("sides")[0];
        bool direct = side.GetProperty("caching").GetString() == "direct";
        (direct || !string.IsNullOrEmpty(side.GetProperty("cachingReason").GetString())).ShouldBeTrue();
        report.GetProperty("notes").EnumerateArray().Any(
            n => n.GetString()!.StartsWith("direct I/O was refused", StringComparison.Ordinal)).ShouldBe(!direct);
    }

    [Fact]
    public async Task Interrupted_before_it_measured_it_says_so_and_leaves_no_half_made_file()
    {
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        ToolRun run = await ToolRun.RunAsync(["speed", "-t1", "-r1M", FilePath], input: null, cancelled.Token);
        run.ExitCode.ShouldBe(ExitCode.Interrupted);
        run.Out.ShouldContain("interrupted before anything was measured");
        File.Exists(FilePath).ShouldBeFalse();
    }
}
