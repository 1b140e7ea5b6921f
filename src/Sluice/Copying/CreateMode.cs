using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>Checks permissions that a caller specifies.</summary>
internal static class CreateMode
{
    private const UnixFileMode AllBits = (UnixFileMode)ModeBits.All;

    /// <exception cref="ArgumentException">The value contains bits that are not permissions.</exception>
    /// <exception cref="PlatformNotSupportedException">The operating system is Windows.</exception>
    public static UnixFileMode? Check(UnixFileMode? mode)
    {
        if (mode is null)
        {
            return null;
        }

        if (OperatingSystem.IsWindows())
        {
            throw new PlatformNotSupportedException("Unix file modes are not supported on Windows.");
        }

        return (mode & ~AllBits) == 0 ? mode : throw new ArgumentException("The mode contains invalid bits.", nameof(mode));
    }
}
