using System.Globalization;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>
/// Huge pages for fio's buffers, reserved for one run and given back: Sluice's lie in transparent ones, and a device that is given one
/// piece of memory instead of 256 pages does up to three times as much. A run takes back what it added, whatever others have reserved
/// meanwhile; what a killed one added stays reserved.
/// </summary>
internal sealed class FioMemory : IDisposable
{
    private const string Reserved = "/proc/sys/vm/nr_hugepages";
    private const long PageBytes = 2 * ByteSize.MiB;

    private readonly long _added;

    private FioMemory(long added) => _added = added;

    /// <summary>Null where small requests have no use for them, or none can be had.</summary>
    /// <param name="requestSizeBytes">Bytes of a request.</param>
    /// <param name="depth">Requests outstanding in each job.</param>
    /// <param name="jobs">How many run at once.</param>
    public static FioMemory? TryReserve(long requestSizeBytes, int depth, int jobs = 1)
    {
        if (requestSizeBytes < ByteSize.MiB / 4)
            return null;
        long needed = ((requestSizeBytes * depth / PageBytes) + 2) * jobs;
        try
        {
            if (Free() >= needed)
                return new FioMemory(0);
            long before = Read();
            Write(before + needed);
            // There may be fewer than were asked for.
            var memory = new FioMemory(Read() - before);
            if (Free() >= needed)
                return memory;
            memory.Dispose();
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or FormatException)
        {
            return null;
        }
    }

    public void Dispose()
    {
        if (_added <= 0)
            return;
        try
        {
            Write(Math.Max(Read() - _added, 0));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // They could be reserved a moment ago; whoever took that right away has the last word.
        }
    }

    private static long Read() => long.Parse(File.ReadAllText(Reserved), CultureInfo.InvariantCulture);

    private static void Write(long pages) => File.WriteAllText(Reserved, pages.ToString(CultureInfo.InvariantCulture));

    private static long Free()
    {
        string line = File.ReadLines("/proc/meminfo").First(l => l.StartsWith("HugePages_Free:", StringComparison.Ordinal));
        return long.Parse(line.AsSpan(line.IndexOf(':') + 1), NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture);
    }
}
