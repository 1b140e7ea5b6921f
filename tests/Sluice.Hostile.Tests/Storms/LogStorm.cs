using System.Text;

namespace Sluice.Hostile.Tests.Storms;

/// <summary>
/// A log to which several threads append in all ways. What was acknowledged is there under its number, once; what was rejected or withdrawn
/// is not; numbers have no gaps but where a record was withdrawn; and those of one thread's calls, one after another, rise.
/// </summary>
internal sealed class LogStorm
{
    private const int Workers = 3;
    private const int Steps = 20;

    private readonly SluiceLog _log;
    private readonly StormWorker _worker;
    private readonly Random _random;
    private readonly Dictionary<long, string> _acknowledged;
    private long _last;
    private int _number;

    private LogStorm(SluiceLog log, StormWorker worker, Dictionary<long, string> acknowledged) =>
        (_log, _worker, _random, _acknowledged) = (log, worker, worker.Random, acknowledged);

    public static void Run(StormRound round, IoEngine? engine)
    {
        string folder = round.Temp.NewPath();
        SluiceLogOptions options = new()
        {
            Engine = engine,
            SegmentBytes = 64 * 1024,
            MaxRecordBytes = 8000,
            BufferBytes = 64 * 1024,
            FlushInterval = TimeSpan.FromMilliseconds(round.Random.Next(1, 20)),
        };
        Dictionary<long, string>[] all = [.. Enumerable.Range(0, Workers).Select(_ => new Dictionary<long, string>())];
        SluiceLog log = SluiceLog.Open(folder, options);
        round.Run(Workers, w => new LogStorm(log, w, all[w.Number]).Work(), log.Dispose);
        Dictionary<long, string> acknowledged = all.SelectMany(a => a).ToDictionary(a => a.Key, a => a.Value);
        long last = 0;
        using (SluiceLogReader reader = new(folder))
        {
            while (reader.TryRead(out LogEntry entry))
            {
                entry.Sequence.ShouldBeGreaterThan(last, "numbers");
                last = entry.Sequence;
                string found = Encoding.ASCII.GetString(entry.Bytes);
                acknowledged.Remove(entry.Sequence, out string? expected).ShouldBeTrue(
                    $"record {entry.Sequence} that was not acknowledged: {found[..Math.Min(20, found.Length)]}");
                found.ShouldBe(expected);
            }

            reader.Damage.ShouldBeEmpty();
            reader.Tail.ShouldBeNull();
        }

        acknowledged.ShouldBeEmpty("records that are missing");
        using (SluiceLog again = SluiceLog.Open(folder, options))
        {
            again.Cut.ShouldBeNull();
            again.Append("again"u8, LogDurability.Written).ShouldBeGreaterThan(last);
        }

        Directory.Delete(folder, recursive: true);
    }

    private void Work()
    {
        for (int i = 0; i < Steps && !_worker.HasEnded; i++)
        {
            Step();
        }
    }

    private void Step()
    {
        LogDurability durability = _random.Next(20) switch
        {
            0 => LogDurability.Durable,
            < 10 => LogDurability.Written,
            _ => LogDurability.Buffered,
        };
        CancellationToken token = _worker.NextToken();
        string record = NextRecord();
        long sequence = 0;
        switch (_random.Next(7))
        {
            case 0 or 1:
                if (_worker.Try("Append", () => sequence = _log.Append(Encoding.ASCII.GetBytes(record), durability)))
                {
                    Acknowledge(sequence, record);
                }

                break;
            case 2:
                AppendAtOnce(durability);
                break;
            case 3:
                AppendBatch(durability, token);
                break;
            case 4:
                Reserve(record, durability);
                break;
            case 5:
                _worker.Try("Flush", () => _log.Flush(LogDurability.Written));
                break;
            default:
                _worker.TryAsync("FlushAsync", () => _log.FlushAsync(LogDurability.Written, token).AsTask(), token: token);
                break;
        }
    }

    private void AppendAtOnce(LogDurability durability)
    {
        List<(StormCall Call, StormMemory Memory, string Record)> calls = [];
        for (int n = _random.Next(1, 6); n > 0; n--)
        {
            string record = NextRecord();
            CancellationToken token = _worker.NextToken();
            Countdown countdown = _worker.NextCountdown();
            StormMemory memory = new(_random, countdown, Encoding.ASCII.GetBytes(record), 0);
            calls.Add((
                _worker.Begin("AppendAsync", () => _log.AppendAsync(memory.Memory, durability, token).AsTask(), countdown, token),
                memory,
                record));
        }

        long last = _last;
        foreach ((StormCall call, StormMemory memory, string record) in calls)
        {
            if (_worker.Ends(call))
            {
                // Those that found the memory full take their places later.
                long sequence = ((Task<long>)call.Task!).Result;
                _acknowledged.Add(sequence, record);
                sequence.ShouldBeGreaterThan(_last);
                last = Math.Max(last, sequence);
            }

            memory.Close();
        }

        _last = last;
    }

    private void AppendBatch(LogDurability durability, CancellationToken token)
    {
        string[] records = [.. Enumerable.Range(0, _random.Next(1, 5)).Select(_ => NextRecord(1000))];
        ReadOnlyMemory<byte>[] bytes = [.. records.Select(r => (ReadOnlyMemory<byte>)Encoding.ASCII.GetBytes(r))];
        long first = 0;
        bool isDone = _random.Next(2) == 0
            ? _worker.Try("AppendBatch", () => first = _log.AppendBatch(bytes, durability), token: CancellationToken.None)
            : _worker.TryAsync("AppendBatchAsync", async () => first = await _log.AppendBatchAsync(bytes, durability, token), token: token);
        for (int i = 0; i < records.Length && isDone; i++)
        {
            Acknowledge(first + i, records[i]);
        }
    }

    private void Reserve(string record, LogDurability durability)
    {
        bool isCommitted = _random.Next(2) == 0;
        long sequence = 0;
        bool isDone = _worker.Try("Reserve", () =>
        {
            using LogReservation reservation = _log.Reserve(record.Length);
            Encoding.ASCII.GetBytes(record, reservation.Span);
            if (isCommitted)
            {
                sequence = reservation.Commit(durability);
            }
        });
        if (isDone && isCommitted)
        {
            Acknowledge(sequence, record);
        }
    }

    private void Acknowledge(long sequence, string record)
    {
        sequence.ShouldBeGreaterThan(_last, "a number of a later call");
        _last = sequence;
        _acknowledged.Add(sequence, record);
    }

    private string NextRecord(int most = 3000)
    {
        int filler = _random.Next(4) == 0 ? _random.Next(most) : _random.Next(40);
        return $"{_worker.Number}:{_number++}:{new string((char)('a' + _random.Next(26)), filler)}";
    }
}
