using System.Text.Json;
using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>What file systems accept and do not do is said where the result stands.</summary>
public sealed class EffectNotesTests : IDisposable
{
    private readonly TempFolder _folder = new();

    private string Source => _folder["a"];

    public void Dispose() => _folder.Dispose();

    [Trait("Tier", "slow")]
    [SkippableTheory]
    [InlineData("--sync", "note: direct and on the disk may mean nothing here: tmpfs keeps its files in memory")]
    [InlineData("--sync --method direct", "note: direct and on the disk may mean nothing here: tmpfs keeps its files in memory")]
    public async Task A_copy_in_memory_that_says_it_is_on_the_disk_has_a_note(string options, string words)
    {
        using TestVolume disk = TestVolume.MountMemory(_folder["disk"], "4m");
        await File.WriteAllBytesAsync(Source, new byte[1024 * 1024]);
        ToolRun run = await ToolRun.RunAsync(["copy", .. options.Split(' '), Source, disk.Path]);
        Skip.If(run.Error.Contains("not possible here", StringComparison.Ordinal), run.Error);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain(words);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task Json_and_csv_of_a_copy_have_the_note()
    {
        using TestVolume disk = TestVolume.MountMemory(_folder["disk"], "4m");
        await File.WriteAllBytesAsync(Source, new byte[1024 * 1024]);
        ToolRun run = await ToolRun.RunAsync(
            "copy", "--method", "direct", Source, disk.Path, "--json", _folder["r.json"], "--csv", _folder["r.csv"]);
        Skip.If(run.Error.Contains("not possible here", StringComparison.Ordinal), run.Error);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        using JsonDocument json = JsonDocument.Parse(await File.ReadAllTextAsync(_folder["r.json"]));
        const string Words = "direct and on the disk may mean nothing here: tmpfs keeps its files in memory";
        json.RootElement.GetProperty("note").GetString().ShouldNotBeNull().ShouldStartWith(Words);
        json.RootElement.GetProperty("copies")[0].GetProperty("note").GetString().ShouldNotBeNull().ShouldStartWith(Words);
        string[] lines = await File.ReadAllLinesAsync(_folder["r.csv"]);
        lines[0].ShouldEndWith(",note");
        lines[1].ShouldContain(Words);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task The_doctor_says_in_its_row_that_direct_passes_nothing_in_memory()
    {
        using TestVolume disk = TestVolume.MountMemory(_folder["disk"], "4m");
        await ShouldSayOfDirectAsync(disk, "FileCaching.Direct is accepted and passes nothing here: tmpfs");
    }

    [Trait("Tier", "slow")]
    [SkippableTheory]
    [InlineData(false, "FileCaching.Direct is accepted and may pass nothing here: overlay")]
    [InlineData(true, "FileCaching.Direct is accepted and may pass nothing here: fuse")]
    public async Task The_doctor_says_in_its_row_what_direct_is_on_file_systems_over_others(bool isFuse, string words)
    {
        using TestVolume volume = isFuse ? TestVolume.MountBindfs(_folder.FullPath) : TestVolume.MountOverlay(_folder.FullPath);
        await ShouldSayOfDirectAsync(volume, words);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task A_preallocation_that_is_refused_has_a_note()
    {
        using TestVolume volume = TestVolume.MountBindfs(_folder.FullPath);
        ToolRun run = await ToolRun.RunAsync("speed", "-t0", "-p1M", Path.Combine(volume.Path, "s.dat"));
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain("fallocate is refused here: ");
        run = await ToolRun.RunAsync("speed", "-t0", "-x1M", Path.Combine(volume.Path, "t.dat"));
        run.Out.ShouldNotContain("fallocate");
    }

    /// <summary>Where direct I/O is refused, the row says that.</summary>
    private static async Task ShouldSayOfDirectAsync(TestVolume volume, string words)
    {
        ToolRun run = await ToolRun.RunAsync("doctor", volume.Path);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldNotContain("so: FileCaching.Direct goes past");
        Skip.If(run.Out.Contains("FileCaching.Direct opens Cached", StringComparison.Ordinal), "direct I/O is refused here");
        // A long consequence is broken into lines.
        string.Join(' ', run.Out.Split((char[])[' ', '\n'], StringSplitOptions.RemoveEmptyEntries)).ShouldContain(words);
    }
}
