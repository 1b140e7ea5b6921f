using System.Globalization;

namespace Sluice.Cli.Load;

/// <summary>Reads the number of bytes that this process has read from devices, including read-ahead, but not from the page cache.</summary>
internal static class ProcessReads
{
    private const string Field = "read_bytes: ";

    /// <summary>Returns the number of bytes; null if the system does not count them.</summary>
    public static long? Bytes()
    {
        try
        {
            string? line = File.ReadLines("/proc/self/io").FirstOrDefault(l => l.StartsWith(Field, StringComparison.Ordinal));
            return line is null ? null : long.Parse(line.AsSpan(Field.Length), NumberStyles.None, CultureInfo.InvariantCulture);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
