using Sluice.Kernel;

namespace Sluice.Diagnostics;

/// <summary>What can be told of this process's stdout without writing to it.</summary>
internal static class StandardOutput
{
    private const int Descriptor = 1;

    /// <summary>Whether it is a pipe or a socket that nobody reads any more; false where that is not told.</summary>
    public static bool HasNoReader => Libc.IsSupported && PollCalls.HasNoReader(Descriptor);
}
