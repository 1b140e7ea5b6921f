using System.Text;

namespace Sluice.Log.Tests.Support;

/// <summary>A thread that has what the log has, by what a reader tells.</summary>
internal sealed class StormFollower
{
    private readonly Thread _thread;
    private Exception? _error;
    private volatile bool _ends;
    private Tuple<long, string>? _wanted;
    private long _last;

    public StormFollower(string directory, LogDurability upTo)
    {
        UpTo = upTo;
        _thread = new Thread(() => Follow(directory));
        _thread.Start();
    }

    public LogDurability UpTo { get; }

    /// <summary>What it has, of its own thread while that runs.</summary>
    public SortedDictionary<long, string> Followed { get; } = [];

    /// <summary>The record that it has read last; 0 for none.</summary>
    public long Last => Volatile.Read(ref _last);

    /// <summary>
    /// The last of some records that it has read, each as it is there; 0 for none. Of what was dropped it may have the numbers, and nothing
    /// of what has these by now.
    /// </summary>
    public long LastOf(IReadOnlyDictionary<long, string> records)
    {
        lock (Followed)
        {
            return Followed.LastOrDefault(f => records.TryGetValue(f.Key, out string? text) && text == f.Value).Key;
        }
    }

    public void Stop()
    {
        _ends = true;
        _thread.JoinInTime();
    }

    /// <summary>Waits until it has a record, and nothing behind that.</summary>
    public void JoinAt(long last, string text)
    {
        Volatile.Write(ref _wanted, new(last, text));
        for (int i = 0; i < 1200 && !_thread.Join(50); i++)
        {
        }

        _thread.IsAlive.ShouldBeFalse($"a follower waits at {Last} behind the log's end, {last}");
        _error.ShouldBeNull();
    }

    private void Follow(string directory)
    {
        try
        {
            using Follower follower = new(directory, UpTo);
            int looks = 0;
            while (!_ends)
            {
                // What follows the last record of a segment that was truncated says that it is not there any more.
                bool hasLast = Volatile.Read(ref _wanted) is { } wanted && Followed.GetValueOrDefault(wanted.Item1) == wanted.Item2;
                bool isThere = follower.TryReadOne();
                lock (Followed)
                {
                    Followed.Clear();
                    foreach ((long sequence, byte[] bytes) in follower.Records)
                    {
                        Followed[sequence] = Encoding.ASCII.GetString(bytes);
                    }
                }

                Volatile.Write(ref _last, follower.Records.LastOrDefault().Key);
                if (!isThere)
                {
                    if (hasLast)
                    {
                        return;
                    }

                    // Now at once, now later: it comes at any moment of what is done to the log.
                    Thread.Sleep(++looks % 4 == 0 ? 1 : 0);
                }
            }
        }
        catch (Exception e)
        {
            _error = e;
        }
    }
}
