using System.Runtime.Versioning;
using Sluice.Kernel;

namespace Sluice.Copying;

/// <summary>A descriptor that is closed at the end, or the negative errno of an opening that failed.</summary>
/// <param name="Fd">The descriptor.</param>
/// <param name="IsLocked">
/// Whether it holds a flock, which is given up at the end and not only closed: a process that is just being started has a copy of the
/// descriptor for a moment.
/// </param>
[SupportedOSPlatform("linux")]
internal readonly record struct Descriptor(int Fd, bool IsLocked = false) : IDisposable
{
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
