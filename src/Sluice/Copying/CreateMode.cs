using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>Permissions that a caller asks for.</summary>
internal static class CreateMode
{
    private const UnixFileMode AllBits = (UnixFileMode)ModeBits.All;

    /// <exception cref="ArgumentException">There are bits that are no permission.</exception>
    /// <exception cref="PlatformNotSupportedException">Windows has no such permissions.</exception>
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

        return (mode & ~AllBits) == 0 ? mode : throw new ArgumentException("The mode has bits that are no permission.", nameof(mode));
    }
}
