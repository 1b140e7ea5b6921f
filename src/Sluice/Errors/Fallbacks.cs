using System.Collections.Concurrent;
using Sluice.Memory;

namespace Sluice.Errors;

/// <summary>
/// Where something else is used than was asked for: counted, and told to the event source once for each reason. Thread-safe; may be called
/// under a lock, since listeners run on a thread of their own.
/// </summary>
internal static class Fallbacks
{
    public const string Engine = "engine";
    public const string Caching = "caching";

    private static readonly ConcurrentDictionary<(string Kind, string Reason), long> Counts = new();

    public static IEnumerable<(string Kind, string Reason, long Count)> All =>
        Counts.Select(static c => (c.Key.Kind, c.Key.Reason, c.Value));

    /// <param name="kind">What it is about.</param>
    /// <param name="reason">In one line.</param>
    /// <param name="subject">The file, or what is used instead.</param>
    public static void Note(string kind, string reason, string subject)
    {
        // It may wait for a lock, and has counted nothing where it is broken off.
        if (Uninterrupted.UntilDone((kind, reason), static key => Counts.AddOrUpdate(key, 1, static (_, count) => count + 1)) == 1)
        {
            ListenerThread.Post(() => SluiceEventSource.Log.FellBack(kind, subject, reason));
        }
    }
}
