using System.Buffers.Binary;
using System.Globalization;
using Xunit.Abstractions;

namespace Sluice.Log.Tests;

/// <summary>
/// Readers of every kind beside a log whose end and beginning are removed now and then: what they have when they say that the log ends is
/// what the log has, and a reader of durable records never gives out one that was not durable.
/// </summary>
[Trait("Tier", "slow")]
public sealed class ReaderModelTests(ITestOutputHelper output)
{
    public static TheoryData<int> Seeds =>
        [.. Enumerable.Range(
            int.TryParse(Environment.GetEnvironmentVariable("SLUICE_LOG_SEED"), CultureInfo.InvariantCulture, out int first) ? first : 1,
            Environment.GetEnvironmentVariable("SLUICE_LOG_FLIPS") == "all" ? 500 : 10)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void What_readers_have_at_the_end_is_what_the_log_has(int seed)
    {
        using TempFolder folder = new(isInMemory: true);
        Random random = new(seed);
        SluiceLogOptions options = SmallLog.With(o =>
        {
            o.FlushInterval = TimeSpan.FromHours(1);
            o.SegmentBytes = 4096 << random.Next(3);
            o.Preallocate = random.Next(2) == 0;
        });
        SluiceLog log = folder.Open(options);
        SortedDictionary<long, int> model = [];
        HashSet<int> wasDurable = [];
        List<Follower> followers = [];
        int content = 0;
        List<string> story = [];
        try
        {
            for (int i = 0; i < 400; i++)
            {
                switch (random.Next(24))
                {
                    case 0:
                        {
                            long first = log.FirstSequence;
                            long last = Math.Max(first - 1, log.NextSequence - 1 - random.Next(14));
                            story.Add($"truncate after {last}");

                            // All is made durable before.
                            wasDurable.UnionWith(model.Values);
                            log.TruncateAfter(last);
                            model.Keys.Where(k => k > last).ToList().ForEach(k => model.Remove(k));
                            break;
                        }

                    case 1:
                        {
                            long before = random.NextInt64(Math.Max(1, log.NextSequence - 30), log.NextSequence + 1);
                            log.TruncateBefore(before);
                            wasDurable.UnionWith(model.Where(m => m.Key <= log.DurableSequence).Select(static m => m.Value));
                            story.Add($"truncate before {before}: {log.FirstSequence}");
                            model.Keys.Where(k => k < log.FirstSequence).ToList().ForEach(k => model.Remove(k));
                            break;
                        }

                    case 2:
                        story.Add("flush");
                        wasDurable.UnionWith(model.Values);
                        log.Flush();
                        break;
                    case 3 when random.Next(3) == 0:
                        story.Add("reopen");
                        wasDurable.UnionWith(model.Values);
                        log.Dispose();
                        log = folder.Open(options);
                        break;
                    case < 8:
                        {
                            if (followers.Count < 12)
                            {
                                followers.Add(new Follower(folder, () => log, random));
                                story.Add($"reader {followers[^1]}");
                            }

                            break;
                        }

                    case < 16:
                        {
                            LogDurability durability = random.Next(4) == 0 ? LogDurability.Durable : LogDurability.Written;
                            for (int n = random.Next(1, 6); n > 0; n--)
                            {
                                byte[] record = new byte[random.Next(4, 900)];
                                BinaryPrimitives.WriteInt32LittleEndian(record, ++content);
                                if (durability == LogDurability.Durable)
                                {
                                    wasDurable.UnionWith(model.Values);
                                    wasDurable.Add(content);
                                }

                                long sequence = log.Append(record, durability);
                                model[sequence] = content;
                                story.Add($"{sequence}={content} {durability}");
                            }

                            break;
                        }

                    default:
                        if (followers.Count > 0)
                        {
                            // The keeper makes full segments durable behind the writer's back.
                            Follower follower = followers[random.Next(followers.Count)];
                            int most = random.Next(3) == 0 ? int.MaxValue : random.Next(12);
                            story.Add($"read {followers.IndexOf(follower)} {most}");
                            bool atEnd = follower.Read(most, log);
                            wasDurable.UnionWith(model.Where(m => m.Key <= log.DurableSequence).Select(static m => m.Value));
                            follower.Check(model, wasDurable, log, atEnd);
                        }

                        break;
                }
            }
        }
        catch (Exception e)
        {
            output.WriteLine(string.Join('\n', story));
            output.WriteLine(e.ToString());
            throw;
        }
        finally
        {
            followers.ForEach(static f => f.Dispose());
            log.Dispose();
        }
    }

    private sealed class Follower : IDisposable
    {
        private readonly TempFolder _folder;
        private readonly Func<SluiceLog> _log;
        private readonly bool _byLog;
        private readonly LogDurability? _upTo;
        private readonly bool _skips;
        private readonly SortedDictionary<long, int> _has = [];
        private SluiceLogReader _reader;
        private long _start;
        private int _damage;

        public Follower(TempFolder folder, Func<SluiceLog> log, Random random)
        {
            (_folder, _log) = (folder, log);
            _byLog = random.Next(2) == 0;
            _upTo = random.Next(3) switch { 0 => null, 1 => LogDurability.Written, _ => LogDurability.Durable };
            _skips = random.Next(3) == 0;
            bool fromEnd = random.Next(5) == 0;
            long from = random.Next(2) == 0 ? 1 : random.NextInt64(1, log().NextSequence + 4);
            _reader = Open(from, fromEnd);
            _start = fromEnd ? _reader.NextSequence : from;
        }

        public override string ToString() => $"from {_start} byLog {_byLog} upTo {_upTo} skips {_skips}";

        public void Dispose() => _reader.Dispose();

        /// <summary>Reads up to a number of records. Returns true if the reader came to the end.</summary>
        public bool Read(int most, SluiceLog log)
        {
            for (int i = 0; i < most; i++)
            {
                try
                {
                    if (!_reader.TryRead(out LogEntry entry))
                    {
                        TakeDamage();
                        return true;
                    }

                    TakeDamage();
                    long sequence = entry.Sequence;
                    sequence.ShouldBeGreaterThan(_has.Keys.LastOrDefault());
                    _start = Math.Min(_start, sequence);
                    _has.Add(sequence, BinaryPrimitives.ReadInt32LittleEndian(entry.Bytes));
                }
                catch (SluiceLogDamagedException e)
                {
                    _skips.ShouldBeFalse(e.ToString());
                    GoOnFrom(e, log);
                }
            }

            return false;
        }

        public void Check(SortedDictionary<long, int> model, HashSet<int> wasDurable, SluiceLog log, bool atEnd)
        {
            if (_upTo == LogDurability.Durable)
            {
                _has.Values.Where(v => !wasDurable.Contains(v)).ShouldBeEmpty($"not durable: {this}");
            }

            if (!atEnd)
            {
                return;
            }

            long limit = _upTo == LogDurability.Durable ? log.DurableSequence : long.MaxValue;
            KeyValuePair<long, int>[] expected = [.. model.Where(m => m.Key >= _start && m.Key >= log.FirstSequence && m.Key <= limit)];
            KeyValuePair<long, int>[] actual = [.. _has.Where(h => h.Key >= log.FirstSequence)];

            // The keeper may make more durable between the two.
            if (_upTo == LogDurability.Durable && expected.Length > actual.Length)
            {
                expected = expected[..actual.Length];
            }

            actual.ShouldBe(expected, $"{this}");
        }

        private void TakeDamage()
        {
            for (; _damage < _reader.Damage.Count; _damage++)
            {
                SluiceLogDamagedException e = _reader.Damage[_damage];
                if (e.Reason.Contains("removed from the end", StringComparison.Ordinal))
                {
                    _has.Keys.Where(k => k >= e.Sequence).ToList().ForEach(k => _has.Remove(k));
                }
                else
                {
                    // Records are missing. Whether those before were replaced first, before they were removed, is not known.
                    _has.Clear();
                    _start = long.MaxValue;
                }
            }
        }

        private void GoOnFrom(SluiceLogDamagedException e, SluiceLog log)
        {
            bool isRemoval = e.Reason.Contains("removed from the end", StringComparison.Ordinal);
            bool isOvertaken = e.Reason.Contains("before it was read", StringComparison.Ordinal)
                || e.Reason.Contains("missing", StringComparison.Ordinal);
            (isRemoval || isOvertaken).ShouldBeTrue($"{this}: {e}");
            long from = isRemoval ? e.Sequence : Math.Max(_reader.NextSequence, log.FirstSequence);
            _reader.Dispose();
            _reader = Open(from, false);

            // A new reader knows nothing of what is before its first record.
            _has.Clear();
            _start = from;
        }

        private SluiceLogReader Open(long from, bool fromEnd)
        {
            SluiceLogReaderOptions options = new() { FromSequence = from, UpTo = _upTo, SkipDamage = _skips, FromEnd = fromEnd };
            return _byLog ? _log().OpenReader(options) : new SluiceLogReader(_folder.Log, options);
        }
    }
}
