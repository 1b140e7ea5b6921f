using System.Diagnostics.CodeAnalysis;

namespace Sluice.Copying;

/// <summary>A thread beside the one that copies. A copy goes on without it where the system refuses another thread.</summary>
internal static class CopyThread
{
    /// <summary>Starts a background thread. Returns false if the system refuses one.</summary>
    public static bool TryStart(string name, Action work, [NotNullWhen(true)] out Thread? thread)
    {
        thread = new Thread(() => work()) { IsBackground = true, Name = name };
        try
        {
            thread.UnsafeStart();
            return true;
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            thread = null;
            return false;
        }
    }
}
