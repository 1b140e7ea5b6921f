using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Files;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

/// <summary>A run checks beforehand that its folder has the space that it needs.</summary>
public sealed class SuiteSpaceTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 2)]
    public void Files_have_room_for_every_tree_that_is_there_at_once(bool hasImages, int rows)
    {
        // The source, two for the warm-up, and of seven rounds two for each side.
        const long Trees = 31;
        long space = SuiteSpace.Sum([FilesSuite.Space(BenchScale.Full, hasImages)]);
        space.ShouldBeGreaterThan((rows * Trees * BenchScale.Full.TreeFileCount * 4 * ByteSize.KiB) + BenchScale.Full.CopyFileBytes);
    }

    [Fact]
    public void A_file_that_two_suites_read_counts_once()
    {
        Suite[] suites = [.. Suite.All.Where(s => s.Name is "handle" or "scale")];
        suites.Length.ShouldBe(2);
        SuiteSpace.Sum(suites.Select(s => s.Space(BenchScale.Full))).ShouldBe(SuiteSpace.Sum([suites[0].Space(BenchScale.Full)]));
    }

    [SkippableFact]
    public void Trees_in_an_image_go_with_their_row()
    {
        Skip.IfNot(LoopFileSystem.MayBeMade, "no image can be mounted");
        using var context = new BenchContext(_folder.FullPath, BenchScale.Quick, CancellationToken.None);
        foreach (string id in (string[])["copy-tree-nested", "files-write"])
        {
            using (Contest contest = FilesSuite.Create().Rows.Single(r => r.Id == id).Open(context))
                Skip.If(!Directory.EnumerateFiles(_folder.FullPath, "*.image").Any(), "no image could be mounted");
            Directory.EnumerateFiles(_folder.FullPath, "*.image").ShouldBeEmpty(id);
        }
    }

    /// <summary>64 MiB to spare, and more than two of its files of 256 KiB.</summary>
    [Trait("Tier", "slow")]
    [SkippableFact]
    public Task Tables_ask_for_the_file_that_is_read_and_those_that_both_sides_write() =>
        CommandChecks.NeedsRoomAsync(_folder, "66200k", "tables", "--quick");
}
