using System.Diagnostics;
using System.Runtime.InteropServices;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>
/// What it costs now to touch a page of memory that the process did not have. In a virtual machine whose host takes free pages back it is
/// some microseconds instead of a tenth of one, and whatever fills the page cache pays for it.
/// </summary>
internal static class PageCost
{
    private const int PageBytes = 4096;
    private const int SampleBytes = (int)(32 * ByteSize.MiB);
    private const int ChunkBytes = (int)(2 * ByteSize.MiB);

    // Two states of one machine lie a factor of ten apart, and the noise of one within this.
    private const double MaxRatio = 3;

    public static double MeasureNanoseconds()
    {
        nint memory = Marshal.AllocHGlobal(SampleBytes);
        try
        {
            // The median over chunks: what else runs on the machine meanwhile interrupts a few of them.
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

    /// <summary>Whether two passes met the same machine.</summary>
    public static bool AreAlike(IReadOnlyCollection<double> costs) => costs.Count == 0 || costs.Max() <= costs.Min() * MaxRatio;
}
