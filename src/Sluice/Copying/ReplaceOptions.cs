using System.Runtime.Versioning;
using Sluice.Copying;

namespace Sluice;

/// <summary>How to replace a file. Immutable, and therefore thread-safe.</summary>
public sealed class ReplaceOptions
{
    internal static ReplaceOptions Default { get; } = new();

    /// <summary>
    /// The permissions of a file that was not there, subject to the umask; null for what .NET gives a new file. One that was there keeps
    /// its own.
    /// </summary>
    /// <exception cref="ArgumentException">The value has bits that are no permission.</exception>
    [UnsupportedOSPlatform("windows")]
    public UnixFileMode? UnixCreateMode
    {
        get;
        init => field = CreateMode.Check(value);
    }
}
