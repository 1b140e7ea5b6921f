using System.Globalization;

namespace Sluice.Cli.Load;

/// <summary>The number of bytes that this process has read from devices, including read-ahead, but not from the page cache.</summary>
internal static class ProcessReads
{
    private const string Field = "read_bytes: ";

    /// <summary>Returns null if the system does not count it.</summary>
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
