namespace Sluice.Errors;

/// <summary>
/// Where something else is used than was asked for: counted, and told to the event source once for each reason. Thread-safe; may be called
/// under a lock, since listeners run on a thread of their own.
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

    /// <param name="kind">What it is about.</param>
    /// <param name="reason">In one line.</param>
    /// <param name="subject">The file, or what is used instead.</param>
    public static void Note(string kind, string reason, string subject)
    {
        long count;
        lock (Gate)
        {
            count = Counts[(kind, reason)] = Counts.GetValueOrDefault((kind, reason)) + 1;
        }

        if (count == 1)
        {
            // Listeners are the caller's code, and the caller here may hold a lock.
            _ = ThreadPool.UnsafeQueueUserWorkItem(
                static note => SluiceEventSource.Log.FellBack(note.kind, note.subject, note.reason),
                (kind, subject, reason),
                preferLocal: false);
        }
    }
}
