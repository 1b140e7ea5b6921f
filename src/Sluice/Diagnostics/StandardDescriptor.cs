using Sluice.Kernel;

namespace Sluice.Diagnostics;

/// <summary>The state of the descriptors that a process has when it begins: 0 to 2.</summary>
internal static class StandardDescriptor
{
    /// <summary>
    /// Returns false if the descriptor was closed when the process began: it is still closed, or the runtime has opened it for its own use.
    /// Returns true if this is unknown.
    /// </summary>
    public static bool IsInherited(int descriptor) => !Libc.IsSupported || Libc.IsInheritable(descriptor);

    /// <summary>Returns true if the descriptor is a pipe or socket whose other end is closed; false if this is unknown.</summary>
    public static bool HasNoReader(int descriptor) => Libc.IsSupported && PollCalls.HasNoReader(descriptor);
}
