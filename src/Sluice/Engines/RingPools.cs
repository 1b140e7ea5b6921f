using System.Collections.Concurrent;

namespace Sluice.Engines;

/// <summary>All pools of rings.</summary>
internal static class RingPools
{
    private static readonly ConcurrentBag<Action> Closers = [];

    /// <summary>Closes the rings that nobody has borrowed, and all others when they come back.</summary>
    public static void Close()
    {
        foreach (Action close in Closers)
        {
            close();
        }
    }

    public static void Add(Action close) => Closers.Add(close);
}
