using System.Text;

namespace Sluice.Log.Tests.Support;

/// <summary>
/// A log in a storm of faults, beside what it has acknowledged. Whenever somebody looks (a reader, the next writer behind a closing or a
/// kill) all of that is there, each record as it was appended, and nobody is told of damage.
/// </summary>
internal sealed class StormedLog : IDisposable
{
    private const int MaxTries = 200;

    private readonly TempFolder _folder;
    private readonly Random _random;
    private readonly StormFaults _faults;
    private readonly StormTrace _trace;
    private readonly SortedDictionary<long, string> _acknowledged = [];
    private readonly List<StormFollower> _followers = [];
    private SluiceLog _log;
    private int _number;

    /// <param name="folder">Where it is.</param>
    /// <param name="seed">Says what is done.</param>
    /// <param name="faults">What fails.</param>
    /// <param name="trace">Told of each step.</param>
    public StormedLog(TempFolder folder, int seed, StormFaults faults, StormTrace trace)
    {
        (_folder, _random, _faults, _trace) = (folder, new Random(seed), faults, trace);
        _log = folder.Open(MakeOptions());
        _followers.Add(new StormFollower(folder.Log, LogDurability.Written));
        _followers.Add(new StormFollower(folder.Log, LogDurability.Durable));
    }

    public void Dispose()
    {
        _faults.Set(StormFaults.Kinds.None, 0);
        _followers.ForEach(static f => f.Stop());
        TryDo("closing", () => _log.Dispose());
    }

    /// <summary>One of the things that are done to a log.</summary>
    public void Step()
    {
        if (_log.Failure is not null && _random.Next(2) == 0)
        {
            Reopen();
            return;
        }

        switch (_random.Next(20))
        {
            case < 11:
                LogDurability durability = _random.Next(3) == 0 ? LogDurability.Durable : LogDurability.Written;
                _ = Append($"n{_number++} ".PadRight(_random.Next(8, 900), '.'), durability);
                break;
            case < 13:
                _ = TryDo("flush", () => _log.Flush());
                break;
            case < 16:
                DropTail();
                break;
            case 16:
                RemoveOld();
                break;
            case 17:
                Reopen();
                break;
            case 18:
                Kill();
                break;
            default:
                CheckFiles("what a reader finds now");
                break;
        }
    }

    /// <summary>When the storm is over the log goes on, and it, its followers and the next writer agree.</summary>
    public void CheckInCalm()
    {
        _faults.Set(StormFaults.Kinds.None, 0);
        for (int i = 0; !Append($"the last, {i}", LogDurability.Durable); i++)
        {
            // The log's own threads may still be about to fail for what was before.
            i.ShouldBeLessThan(MaxTries, $"never durable again: {_log.LastError}");
            if (_log.Failure is not null)
            {
                Reopen();
            }
        }

        (long last, string text) = _acknowledged.Last();
        _log.Dispose();
        SortedDictionary<long, string> all = Check(_folder.Log, "what is there in the end");
        all.Last().ShouldBe(new(last, text));
        foreach (StormFollower follower in _followers)
        {
            follower.JoinAt(last, text);
            all.Except(follower.Followed).ShouldBeEmpty($"what a follower lacks that reads what is {follower.UpTo}");
            follower.Followed.Where(f => f.Key >= all.First().Key).Except(all).ShouldBeEmpty(
                $"what only a follower has that reads what is {follower.UpTo}");
        }

        using SluiceLog again = _folder.Open(SmallLog.Options);
        again.Cut.ShouldBeNull();
    }

    private static SortedDictionary<long, string> Read(string directory)
    {
        SortedDictionary<long, string> all = [];
        using SluiceLogReader reader = new(directory, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        while (reader.TryRead(out LogEntry entry))
        {
            all.TryAdd(entry.Sequence, Encoding.ASCII.GetString(entry.Bytes)).ShouldBeTrue($"{entry.Sequence} came again");
        }

        return all;
    }

    private SluiceLogOptions MakeOptions() => new()
    {
        SegmentBytes = 4096 << _random.Next(2),
        MaxRecordBytes = 1000,
        BufferBytes = 8000,
        Preallocate = _random.Next(2) == 0,
        Durability = LogDurability.Written,
        FlushInterval = _random.Next(2) == 0 ? TimeSpan.FromHours(1) : TimeSpan.FromMilliseconds(1),
    };

    private bool Append(string text, LogDurability durability) => TryDo($"append {text[..Math.Min(8, text.Length)]} {durability}", () =>
    {
        long sequence = _log.Append(Encoding.ASCII.GetBytes(text), durability);
        sequence.ShouldBeGreaterThan(_acknowledged.Keys.LastOrDefault());
        _acknowledged.Add(sequence, text);
    });

    private void DropTail()
    {
        long last = _log.NextSequence - 1;
        long kept = _random.NextInt64(Math.Max(_log.FirstSequence - 1, last - 8), last + 1);
        if (TryDo($"drop behind {kept}", () => _log.TruncateAfter(kept)) || _log.Failure is not null)
        {
            // Where it was begun, the next opening completes it.
            _acknowledged.Keys.Where(k => k > kept).ToList().ForEach(k => _acknowledged.Remove(k));
        }
    }

    /// <summary>What each follower has read, and some records behind that as well.</summary>
    private void RemoveOld()
    {
        long before = Math.Min(_followers.Min(f => f.LastOf(_acknowledged)), _log.DurableSequence) - 10;
        if (before > 1)
        {
            _ = TryDo($"remove before {before}", () => _ = _log.TruncateBefore(before));
            _acknowledged.Keys.Where(k => k < before && k < _log.FirstSequence).ToList().ForEach(k => _acknowledged.Remove(k));
        }
    }

    private void Reopen()
    {
        // Where it throws, what was buffered alone may be lost, and none of that was acknowledged.
        _ = TryDo("closing", () => _log.Dispose());
        CheckFiles("what a closed log has");
        for (int i = 0; !TryDo("opening", () => _log = _folder.Open(MakeOptions())); i++)
        {
            _faults.Abate();
            i.ShouldBeLessThan(MaxTries, "it cannot be opened");
        }

        Check(_folder.Log, "what an opened log has");
    }

    /// <summary>The process ends here: what the next writer finds.</summary>
    private void Kill() => _faults.Spare(() =>
    {
        string killed = Path.Combine(_folder.Root, "killed");
        FolderImage.Copy(_folder.Log, killed);
        _trace.Add("kill: " + string.Join(' ', Directory.GetFiles(killed).Order()
            .Select(static f => $"{Path.GetFileName(f)}:{new FileInfo(f).Length}")));
        SluiceLog.Open(killed, SmallLog.Options).Dispose();
        _ = Check(killed, "what a kill leaves");
        Directory.Delete(killed, recursive: true);
        return true;
    });

    private void CheckFiles(string where) => _ = Check(_folder.Log, where);

    private SortedDictionary<long, string> Check(string directory, string where) => _faults.Spare(() =>
    {
        SortedDictionary<long, string> all = Read(directory);
        _acknowledged.Except(all).ShouldBeEmpty($"{where} lacks what was acknowledged");
        return all;
    });

    /// <summary>Whether it could be done; what a storm does not explain is thrown.</summary>
    private bool TryDo(string what, Action action)
    {
        try
        {
            action();
            _trace.Add(what);
            return true;
        }
        catch (Exception e) when (e is IOException and not SluiceLogDamagedException or UnauthorizedAccessException or OutOfMemoryException)
        {
            _trace.Add($"{what}: {e.GetType().Name} {e.Message}");
            return false;
        }
    }
}
