namespace Sluice.Copying;

/// <summary>The umask of the process.</summary>
internal static class Umask
{
    private const uint Usual = 0x12;

    /// <summary>
    /// Returns the umask from /proc, because umask(2) cannot read it without changing it. Returns 022 if /proc does not provide it.
    /// </summary>
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
            // There is no /proc, as in some sandboxes.
        }

        return Usual;
    }
}
