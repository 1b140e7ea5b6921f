using Shouldly;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Extents;
using Xunit;

namespace Sluice.Cli.Tests.Programs;

public sealed class FileLayoutTests
{
    private const long MiB = 1 << 20;

    [Fact]
    public void An_empty_file_has_no_piece_and_no_score()
    {
        FileLayout layout = FileLayout.Of("a", 0, []);
        layout.Pieces.ShouldBe(0);
        layout.Score.ShouldBe(0);
    }

    [Fact]
    public void Extents_that_follow_on_the_device_are_one_piece()
    {
        FileLayout layout = FileLayout.Of("a", 3 * MiB, [At(0, 100 * MiB), At(1, 101 * MiB), At(2, 102 * MiB)]);
        layout.Extents.ShouldBe(3);
        layout.Pieces.ShouldBe(1);
        layout.Score.ShouldBe(0);
    }

    [Fact]
    public void A_hole_with_its_counterpart_on_the_device_is_no_jump()
    {
        FileLayout.Of("a", 10 * MiB, [At(0, 100 * MiB), At(5, 105 * MiB)]).Pieces.ShouldBe(1);
        FileLayout.Of("a", 10 * MiB, [At(0, 100 * MiB), At(5, 101 * MiB)]).Pieces.ShouldBe(1);
        FileLayout.Of("a", 10 * MiB, [At(0, 100 * MiB), At(5, 106 * MiB)]).Pieces.ShouldBe(2);
    }

    [Fact]
    public void One_jump_for_each_MiB_scores_50()
    {
        // 3 MiB in 4 pieces: 3 jumps.
        FileExtent[] extents =
        [
            new(0, 50 * MiB, MiB / 2, FileExtentFlags.None), new(MiB / 2, 10 * MiB, MiB / 2, FileExtentFlags.None),
            At(1, 90 * MiB), At(2, 70 * MiB),
        ];
        FileLayout layout = FileLayout.Of("a", 3 * MiB, extents);
        layout.Pieces.ShouldBe(4);
        layout.Score.ShouldBe(50, 1e-9);
    }

    [Fact]
    public void Data_without_a_place_counts_apart()
    {
        FileLayout layout = FileLayout.Of(
            "a", 2 * MiB, [At(0, 100 * MiB), new FileExtent(MiB, 0, MiB, FileExtentFlags.DelayedAllocation | FileExtentFlags.Unknown)]);
        layout.Pieces.ShouldBe(1);
        layout.PlacedBytes.ShouldBe(MiB);
        layout.UnplacedBytes.ShouldBe(MiB);
    }

    [Fact]
    public void The_histogram_has_the_classes_from_first_to_last()
    {
        var histogram = new ExtentHistogram();
        histogram.Classes().ShouldBeEmpty();
        foreach (long length in (long[])[4096, 4097, 64 << 10, 10L << 30])
            histogram.Add(new FileExtent(0, 0, length, FileExtentFlags.None));
        IReadOnlyList<ExtentClass> classes = histogram.Classes();
        classes.Count.ShouldBe(10);
        classes[0].ShouldBe(new ExtentClass(4096, 1, 4096));
        classes[1].ShouldBe(new ExtentClass(16 << 10, 1, 4097));
        classes[2].ShouldBe(new ExtentClass(64 << 10, 1, 64 << 10));
        classes[^1].ShouldBe(new ExtentClass(null, 1, 10L << 30));
        classes[^2].LimitBytes.ShouldBe(256 * MiB);
    }

    private static FileExtent At(long fileMiB, long deviceBytes) => new(fileMiB * MiB, deviceBytes, MiB, FileExtentFlags.None);
}
