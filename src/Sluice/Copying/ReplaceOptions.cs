using System.Runtime.Versioning;
using Sluice.Copying;

namespace Sluice;

/// <summary>
/// Provides options for <see cref="SluiceFile.ReplaceAtomically(string, ReadOnlySpan{byte}, ReplaceOptions)"/> and its overloads.
/// </summary>
/// <remarks>This type is immutable and therefore thread-safe.</remarks>
public sealed class ReplaceOptions
{
    /// <summary>
    /// Gets the permissions of a file that is created, before the umask of the process is applied. The default is <see langword="null"/>,
    /// which stands for the default of .NET. An existing file keeps its permissions.
    /// </summary>
    /// <exception cref="ArgumentException">The value contains bits that are not permissions.</exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The operating system is Windows and the value is not <see langword="null"/>.
    /// </exception>
    [UnsupportedOSPlatform("windows")]
    public UnixFileMode? UnixCreateMode
    {
        get;
        init => field = CreateMode.Check(value);
    }
}
