using System.Runtime.Versioning;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>An owned descriptor, or the negative errno of a failed open.</summary>
/// <param name="Fd">The descriptor.</param>
/// <param name="IsLocked">
/// True if the descriptor has a flock. It is unlocked before it is closed, because a process that is being started may briefly have a copy
/// of the descriptor.
/// </param>
[SupportedOSPlatform("linux")]
internal readonly record struct Descriptor(int Fd, bool IsLocked = false) : IDisposable
{
    /// <summary>Closes a file that was written to. Returns 0 or the negative errno that only close(2) reports.</summary>
    public int Close()
    {
        if (IsLocked)
        {
            PathCalls.Unlock(Fd);
        }

        return PathCalls.CloseWritten(Fd);
    }

    public void Dispose()
    {
        if (Fd >= 0)
        {
            if (IsLocked)
            {
                PathCalls.Unlock(Fd);
            }

            PathCalls.Close(Fd);
        }
    }
}
