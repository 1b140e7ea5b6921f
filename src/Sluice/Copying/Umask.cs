namespace Sluice.Copying;

/// <summary>The permissions that this process takes off what it makes.</summary>
internal static class Umask
{
    private const uint Usual = 0x12;

    /// <summary>As /proc says, since umask(2) tells only who changes it; 022 where /proc does not.</summary>
    public static uint Read()
    {
        try
        {
            foreach (string line in File.ReadLines("/proc/self/status"))
            {
                if (line.StartsWith("Umask:", StringComparison.Ordinal))
                {
                    return Convert.ToUInt32(line[6..].Trim(), 8);
                }
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // A sandbox without /proc.
        }

        return Usual;
    }
}
