using System.Globalization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Load;

/// <summary>Reads the number of bytes that this process has read from devices, including read-ahead, but not from the page cache.</summary>
internal static class ProcessReads
{
    /// <summary>Returns the number of bytes; null if the system does not count them.</summary>
    public static long? Bytes() => SystemFile.Value(SystemFile.Lines("/proc/self/io"), "read_bytes") is { } bytes
        ? long.Parse(bytes, CultureInfo.InvariantCulture)
        : null;
}
