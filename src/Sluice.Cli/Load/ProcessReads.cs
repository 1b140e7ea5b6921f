using System.Globalization;

namespace Sluice.Cli.Load;

/// <summary>What this process has had read from devices, read-ahead included: what came from the page cache is not among it.</summary>
internal static class ProcessReads
{
    private const string Field = "read_bytes: ";

    /// <summary>Null where the system does not count it.</summary>
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
