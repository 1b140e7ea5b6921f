namespace Sluice.Copying;

/// <summary>The umask of the process.</summary>
internal static class Umask
{
    private const uint OwnerOnly = 0x3F;

    /// <summary>
    /// Returns the umask from /proc, because umask(2) cannot read it without changing it. Returns 077 if /proc does not provide it, so that
    /// nobody gets permissions that the umask removes.
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

        return OwnerOnly;
    }
}
