using System.Globalization;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>
/// Huge pages for fio's buffers, reserved for one run and given back: Sluice's lie in transparent ones, and a device that is given one
/// piece of memory instead of 256 pages does up to three times as much.
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
            // Of memory that is in pieces the kernel gives fewer.
            var memory = new FioMemory(Math.Max(0, Read() - before));
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
        if (_added == 0)
            return;
        try
        {
            // Others may have reserved theirs since, or given them back.
            Write(Math.Max(0, Read() - _added));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or FormatException)
        {
            // They could be reserved a moment ago; whoever took that right away has the last word.
        }
    }

    private static void Write(long pages) => File.WriteAllText(Reserved, pages.ToString(CultureInfo.InvariantCulture));

    private static long Read() => long.Parse(File.ReadAllText(Reserved), CultureInfo.InvariantCulture);

    private static long Free() => Free(File.ReadLines("/proc/meminfo"));

    /// <summary>Of the lines of /proc/meminfo: a kernel without huge pages has none about them, and none free.</summary>
    internal static long Free(IEnumerable<string> lines) =>
        lines.FirstOrDefault(l => l.StartsWith("HugePages_Free:", StringComparison.Ordinal)) is { } line
            ? long.Parse(line.AsSpan(line.IndexOf(':') + 1), NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture)
            : 0;
}
