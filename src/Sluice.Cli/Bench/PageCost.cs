using System.Diagnostics;
using System.Runtime.InteropServices;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>
/// Measures the cost of touching a new page of memory. In a virtual machine whose host reclaims free pages, it is several microseconds
/// instead of a tenth of one, and all work that fills the page cache pays it.
/// </summary>
internal static class PageCost
{
    private const int PageBytes = 4096;
    private const int SampleBytes = (int)(32 * ByteSize.MiB);
    private const int ChunkBytes = (int)(2 * ByteSize.MiB);

    // The two states of a machine differ by a factor of ten; the variation within a state is smaller than this.
    private const double MaxRatio = 3;

    public static double MeasureNanoseconds()
    {
        nint memory = Marshal.AllocHGlobal(SampleBytes);
        try
        {
            // The median over chunks, since other processes interrupt a few of them.
            var chunks = new List<double>();
            for (int chunk = 0; chunk < SampleBytes; chunk += ChunkBytes)
            {
                long start = Stopwatch.GetTimestamp();
                for (int at = chunk; at < chunk + ChunkBytes; at += PageBytes)
                    Marshal.WriteByte(memory, at, 1);
                chunks.Add(Stopwatch.GetElapsedTime(start).TotalNanoseconds / (ChunkBytes / PageBytes));
            }
            return Statistics.Median(chunks);
        }
        finally
        {
            Marshal.FreeHGlobal(memory);
        }
    }

    /// <summary>Returns true if the passes found the machine in the same state.</summary>
    public static bool AreAlike(IReadOnlyCollection<double> costs) => costs.Count == 0 || costs.Max() <= costs.Min() * MaxRatio;
}
