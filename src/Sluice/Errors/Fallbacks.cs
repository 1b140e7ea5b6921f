namespace Sluice.Errors;

/// <summary>
/// Counts each use of a fallback, and reports each reason once to the event source. Thread-safe. Can be called under a lock, because event
/// listeners run on another thread.
/// </summary>
internal static class Fallbacks
{
    public const string Engine = "engine";
    public const string Caching = "caching";

    private static readonly Lock Gate = new();
    private static readonly Dictionary<(string Kind, string Reason), long> Counts = [];

    public static IEnumerable<(string Kind, string Reason, long Count)> All
    {
        get
        {
            lock (Gate)
            {
                return [.. Counts.Select(static c => (c.Key.Kind, c.Key.Reason, c.Value))];
            }
        }
    }

    /// <param name="kind">The feature that is replaced.</param>
    /// <param name="reason">A one-line explanation.</param>
    /// <param name="subject">The file, or the name of the fallback.</param>
    public static void Note(string kind, string reason, string subject)
    {
        long count;
        lock (Gate)
        {
            count = Counts[(kind, reason)] = Counts.GetValueOrDefault((kind, reason)) + 1;
        }

        if (count == 1)
        {
            // Listeners are user code, and the caller may hold a lock.
            _ = ThreadPool.UnsafeQueueUserWorkItem(
                static note => SluiceEventSource.Log.FellBack(note.kind, note.subject, note.reason),
                (kind, subject, reason),
                preferLocal: false);
        }
    }
}
