using System.Text.Json;
using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Figures;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice figures` as a user types it, on small files.</summary>
[Trait("Tier", "slow")]
[Collection(MeasuringCollection.Name)]
[Trait("Runs", "once")]
public sealed class FiguresRunTests : FolderTest
{
    [Fact]
    public async Task Every_curve_has_both_sides_at_every_request_size_and_nothing_is_left()
    {
        using TempFolder memory = TempFolder.InMemory();
        string disk = memory.FullPath;
        ToolRun run = await ToolRun.SucceedAsync("figures", disk, "--quick", "--figure", "2,3,4,5,6,7", "--json", Folder["r.json"]);
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();
        run.Error.ShouldContain("figures 2, 3, 4, 5, 6, 7, about");

        JsonElement[] sections = ReadSections();
        sections.Length.ShouldBe(3);
        Titles(sections).Order().ToArray().ShouldBe(
        [
            "Figure 2: bandwidth, read", "Figure 2: bandwidth, write", "Figure 3: CPU, read", "Figure 3: CPU, write",
            "Figure 4: CPU, read", "Figure 4: CPU, write", "Figure 5: bandwidth, read", "Figure 5: bandwidth, write",
            "Figure 6: bandwidth, read cold through the page cache", "Figure 6: bandwidth, read direct",
            "Figure 6: bandwidth, write direct",
            "Figure 7: CPU, read cold through the page cache", "Figure 7: CPU, read direct", "Figure 7: CPU, write direct",
        ]);
        foreach (JsonElement chart in sections.SelectMany(s => s.GetProperty("charts").EnumerateArray()))
        {
            string title = chart.GetProperty("title").GetString()!;
            JsonElement[] series = [.. chart.GetProperty("series").EnumerateArray()];
            string[] names = [.. series.Select(s => s.GetProperty("name").GetString()!)];
            names.Count(n => n.StartsWith(".NET", StringComparison.Ordinal)).ShouldBe(names.Length / 2, title);
            names.Distinct().Count().ShouldBe(names.Length, title);
            foreach (JsonElement curve in series)
            {
                curve.GetProperty("x").GetArrayLength().ShouldBe(curve.GetProperty("y").GetArrayLength(), title);
                if (title.Contains("bandwidth"))
                    curve.GetProperty("y").EnumerateArray().ShouldAllBe(y => y.GetDouble() > 0, title);
            }
        }
        // Four curves of streams, by three sizes.
        sections[0].GetProperty("tables")[0].GetProperty("rows").GetArrayLength().ShouldBe(4 * FigureScale.Quick.StreamRequests.Count);
    }

    [SkippableFact]
    public async Task Figure_8_makes_files_on_a_fresh_and_on_an_aged_volume_and_removes_both()
    {
        SkipWithoutVolumes();
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        await ToolRun.SucceedAsync("figures", disk, "--quick", "--figure", "8", "--json", Folder["r.json"]);
        JsonElement[] rows = [.. ReadSections()[0].GetProperty("tables")[0].GetProperty("rows").EnumerateArray()];
        rows.Length.ShouldBe(4 * FigureScale.Quick.CreationRequests.Count);
        // The last two columns are extents: few pieces where the volume is fresh and the size was told (what ext4 keeps for itself lies
        // between them), more where it is aged and the file grows.
        double[] aged = Extents(rows, "aged volume, grown");
        Extents(rows, "fresh volume, preallocated").Max().ShouldBeLessThan(aged.Max());
        aged.Max().ShouldBeGreaterThan(2);
        NothingIsLeftIn(disk);
    }

    [SkippableFact]
    public void A_volume_in_a_folder_behind_a_link_is_unmounted()
    {
        SkipWithoutVolumes();
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        Directory.CreateSymbolicLink(Folder["link"], "disk");
        try
        {
            using (ScratchFolder scratch = ScratchFolder.Create(Folder["link"], line => Assert.Fail(line)))
                ImageVolume.Make(scratch.FullPath, "fresh", 16 << 20, CancellationToken.None);
            NothingIsLeftIn(disk);
        }
        finally
        {
            foreach (string mount in Mounts(disk))
                Shell.Run("umount", mount);
        }
    }

    [SkippableFact]
    public async Task Without_root_figure_8_is_left_out_and_says_why()
    {
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        Shell.Run("chmod", "755", Folder.FullPath);
        Shell.Run("chmod", "777", disk);
        ToolRun run = await PlainUser.RunAsync("figures", "--quick", "--figure", "8", disk);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain("Left out: mounting a volume of its own needs root");
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("INT", ExitCode.Interrupted)]
    [InlineData("KILL", 137)]
    public async Task A_volume_is_unmounted_after_a_signal_and_after_a_kill_by_the_next_run(string signal, int exitCode)
    {
        SkipWithoutVolumes();
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        using (ToolProcess tool = ToolProcess.Start(disk, "figures", "--quick", "--figure", "8", "."))
        {
            await tool.WaitUntilAsync(() => Mounts(disk).Count > 0);
            tool.Signal(signal);
            await tool.EndAsync(exitCode);
        }
        if (signal == "KILL")
        {
            Mounts(disk).ShouldNotBeEmpty();
            // Whatever command that knows such folders comes next.
            ToolRun next = await ToolRun.SucceedAsync("tables", "--quick", "--table", "length", disk);
            next.Error.ShouldContain("removed");
        }
        NothingIsLeftIn(disk);
    }

    private static void NothingIsLeftIn(string disk)
    {
        Mounts(disk).ShouldBeEmpty();
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();
    }

    private static IReadOnlyList<string> Mounts(string folder) =>
    [
        .. File.ReadLines("/proc/self/mountinfo").Select(l => l.Split(' ')[4])
            .Where(m => m.StartsWith(folder + "/", StringComparison.Ordinal)),
    ];

    private static double[] Extents(JsonElement[] rows, string curve) =>
    [
        .. rows.Select(r => r.GetProperty("cells")).Where(c => c[0].GetProperty("text").GetString() == curve)
            .SelectMany(c => c.EnumerateArray().TakeLast(2)).Select(c => c.GetProperty("value").GetDouble()),
    ];

    private static IEnumerable<string> Titles(JsonElement[] sections) =>
        sections.SelectMany(s => s.GetProperty("charts").EnumerateArray()).Select(c => c.GetProperty("title").GetString()!);

    private void SkipWithoutVolumes()
    {
        string folder = Directory.CreateDirectory(Folder["probe"]).FullName;
        using TestVolume volume = TestVolume.MountExt4(folder, 16 << 20);
    }

    private JsonElement[] ReadSections() => [.. Folder.Json("r.json").GetProperty("sections").EnumerateArray()];
}
