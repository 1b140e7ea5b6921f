using Sluice.Streams;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>The kernel is asked to write early only where a file is written one piece after another (decision 0005).</summary>
public sealed class EarlyWritebackSeamTests : HostileTests
{
    private const int Piece = 8 * 1024;

    [SkippableFact]
    public void Output_that_goes_on_and_on_is_begun_early() => StartsOf(static i => i).ShouldBeGreaterThan(0);

    /// <summary>As a database writes its pages: to and fro, each as large as the others.</summary>
    [SkippableFact]
    public void Output_that_goes_to_and_fro_is_left_to_the_kernel() => StartsOf(static i => (i % 2 * 1000) + (i / 2)).ShouldBe(0);

    /// <summary>How often the kernel is asked to begin, while twice as much is written as is worth a start.</summary>
    private int StartsOf(Func<int, int> pieceAt)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        int starts = 0;
        using SluiceStream stream = new(
            Path.Combine(Temp.Root, "file"),
            new SluiceOptions { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize = 0 });
        Skip.IfNot(stream.SluiceHandle.DelaysAllocation, "the file system is not ext4");
        SystemCallFaults.Use((call, _, _) =>
        {
            starts += call == "sync_file_range" ? 1 : 0;
            return 0;
        });
        byte[] piece = new byte[Piece];
        for (int i = 0; i < 2 * EarlyWriteback.StepBytes / Piece; i++)
        {
            stream.Position = (long)pieceAt(i) * Piece;
            stream.Write(piece);
        }

        SystemCallFaults.Use(null);
        return starts;
    }
}
