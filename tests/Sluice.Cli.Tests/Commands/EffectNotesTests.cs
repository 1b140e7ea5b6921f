using Shouldly;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>What file systems accept and do not do is said where the result stands.</summary>
public sealed class EffectNotesTests : FolderTest
{
    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task The_doctor_says_in_its_row_that_direct_passes_nothing_in_memory()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], "4m");
        await ShouldSayOfDirectAsync(disk, "FileCaching.Direct is accepted and passes nothing here: tmpfs");
    }

    [Trait("Tier", "slow")]
    [SkippableTheory]
    [InlineData(false, "FileCaching.Direct is accepted and may pass nothing here: overlay")]
    [InlineData(true, "FileCaching.Direct is accepted and may pass nothing here: fuse")]
    public async Task The_doctor_says_in_its_row_what_direct_is_on_file_systems_over_others(bool isFuse, string words)
    {
        using TestVolume volume = isFuse ? TestVolume.MountBindfs(Folder.FullPath) : TestVolume.MountOverlay(Folder.FullPath);
        await ShouldSayOfDirectAsync(volume, words);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task A_preallocation_that_is_refused_has_a_note()
    {
        using TestVolume volume = TestVolume.MountBindfs(Folder.FullPath);
        ToolRun run = await ToolRun.SucceedAsync("speed", "-t0", "-p1M", Path.Combine(volume.Path, "s.dat"));
        run.Out.ShouldContain("fallocate is refused here: ");
        run = await ToolRun.RunAsync("speed", "-t0", "-x1M", Path.Combine(volume.Path, "t.dat"));
        run.Out.ShouldNotContain("fallocate");
    }

    /// <summary>Where direct I/O is refused, the row says that.</summary>
    private static async Task ShouldSayOfDirectAsync(TestVolume volume, string words)
    {
        ToolRun run = await ToolRun.SucceedAsync("doctor", volume.Path);
        run.Out.ShouldNotContain("so: FileCaching.Direct goes past");
        Skip.If(run.Out.Contains("FileCaching.Direct opens Cached", StringComparison.Ordinal), "direct I/O is refused here");
        // A long consequence is broken into lines.
        string.Join(' ', run.Out.Split((char[])[' ', '\n'], StringSplitOptions.RemoveEmptyEntries)).ShouldContain(words);
    }
}
