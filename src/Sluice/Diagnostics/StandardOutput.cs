using Sluice.Kernel;

namespace Sluice.Diagnostics;

/// <summary>The state of the standard output.</summary>
internal static class StandardOutput
{
    private const int Descriptor = 1;

    /// <summary>Returns true if the standard output is a pipe or socket whose other end is closed; false if this is unknown.</summary>
    public static bool HasNoReader => Libc.IsSupported && PollCalls.HasNoReader(Descriptor);
}
