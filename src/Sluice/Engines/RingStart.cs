using System.Diagnostics.CodeAnalysis;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>The ring of an engine, from its making to what is said of its end.</summary>
internal static class RingStart
{
    /// <returns>False, with a negative errno, where kernel or sandbox refuse a ring.</returns>
    /// <exception cref="OutOfMemoryException">Nothing was made.</exception>
    public static bool TryMake(
        CompletionDuty duty, CompletionThread watcher, [NotNullWhen(true)] out Ring? ring, [NotNullWhen(true)] out RingEntries? entries,
        out int errno)
    {
        entries = null;
        ring = Ring.TryCreate(Tuning.RingEntries, Tuning.RingCompletions, SetupFlags.SubmitAll, out errno);
        if (ring is null)
        {
            return false;
        }

        try
        {
            entries = new RingEntries(ring, duty, watcher);
            _ = ring.LimitWorkers(0, Tuning.MaxBlockingWorkers, out _, out _);
            return true;
        }
        catch (OutOfMemoryException)
        {
            ring.Dispose();
            throw;
        }
    }

    /// <summary>Why the kernel will not be entered any more, for a negative errno.</summary>
    public static string ExplainEnd(int errno) => -errno is Errno.EPERM or Errno.EACCES
        ? $"io_uring_enter was refused after rings had been in use ({(errno == -Errno.EPERM ? "EPERM" : "EACCES")}: "
            + "a seccomp filter or a security module)"
        : Ring.IsPassing(errno) ? $"io_uring_enter took no entry of a ring in {Tuning.MaxStarvedLooks} tries (errno {-errno})"
        : $"io_uring_enter failed after rings had been in use (errno {-errno})";
}
