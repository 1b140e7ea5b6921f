
namespace Sluice.Log.Tests;

/// <summary>
/// Writes and flushes that fail, whole and in part, beside followers; tails are dropped and the log is closed and opened meanwhile. In the
/// end the log has what was acknowledged, and each follower what the log has. Nobody is told of damage.
/// </summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class FaultStormTests
{
    /// <summary>SLUICE_LOG_FLIPS=all asks for more.</summary>
    public static TheoryData<int> Seeds =>
        [.. Enumerable.Range(1, Environment.GetEnvironmentVariable("SLUICE_LOG_FLIPS") == "all" ? 2000 : 40)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public void Followers_beside_failing_writes_and_flushes_have_in_the_end_what_the_log_has(int seed)
    {
        Random random = new(seed);
        using TempFolder folder = new(isInMemory: true);
        StormEngine engine = new(seed);
        SortedDictionary<long, string> acknowledged = [];
        List<StormFollower> followers = [];
        SluiceLog? log = SluiceLog.Open(folder.Log, Options());
        try
        {
            for (int i = 0; i < 2; i++)
            {
                followers.Add(new StormFollower(folder.Log, LogDurability.Written));
            }

            for (int step = 0; step < 40; step++)
            {
                engine.FlushFailures = random.Next(3) == 0 ? random.Next(400) : 0;
                engine.WriteFailures = random.Next(4) == 0 ? random.Next(300) : 0;
                for (int i = random.Next(1, 25); i > 0; i--)
                {
                    Append($"step {step}, {i} ".PadRight(random.Next(8, 900), '.'));
                }

                if (random.Next(3) == 0)
                {
                    Truncate();
                }

                if (random.Next(25) == 0)
                {
                    Reopen();
                }
            }

            engine.FlushFailures = engine.WriteFailures = 0;

            // The log's own threads may still be about to fail for what was before; what could not be made durable may be there.
            for (int i = 0; i < 50 && !Append($"the last one, {i}", LogDurability.Durable); i++)
            {
            }

            (long last, string text) = acknowledged.Last();
            log.Dispose();
            List<(long Sequence, string Text)> all = Read(folder.Log);
            all[^1].Sequence.ShouldBe(last);
            acknowledged.ShouldAllBe(p => all.Contains(new(p.Key, p.Value)), "acknowledged");
            foreach (StormFollower follower in followers)
            {
                follower.JoinAt(last, text);
                List<(long, string)> followed = [.. follower.Followed.Select(static p => (p.Key, p.Value))];
                followed.Except(all).ShouldBeEmpty("what only a follower has");
                all.Except(followed).ShouldBeEmpty("what a follower lacks");
            }

            using SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options);
            again.Cut.ShouldBeNull();
        }
        finally
        {
            engine.FlushFailures = engine.WriteFailures = 0;
            followers.ForEach(static f => f.Stop());
            log.Dispose();
        }

        SluiceLogOptions Options() => new()
        {
            Engine = engine,
            SegmentBytes = 4096 << random.Next(3),
            MaxRecordBytes = 1000 + (random.Next(3) * 2000),
            BufferBytes = 32_000,
            Preallocate = random.Next(2) == 0,
            Durability = LogDurability.Written,
        };

        bool Append(string text, LogDurability? durability = null)
        {
            try
            {
                LogDurability wanted = durability ?? (random.Next(4) == 0 ? LogDurability.Durable : LogDurability.Written);
                long sequence = log.Append(System.Text.Encoding.ASCII.GetBytes(text), wanted);
                acknowledged.Keys.ShouldAllBe(k => k < sequence);
                acknowledged[sequence] = text;
                return true;
            }
            catch (IOException)
            {
                if (log.Failure is not null)
                {
                    Reopen();
                }

                return false;
            }
        }

        void Truncate()
        {
            long last = log.NextSequence - 1;
            long kept = random.NextInt64(Math.Max(log.FirstSequence - 1, last - 60), last + 1);
            try
            {
                log.TruncateAfter(kept);
                Forget();
            }
            catch (IOException)
            {
                if (log.Failure is not null)
                {
                    // The next opening may complete it; else all is there as it was.
                    Forget();
                    Reopen();
                }
            }

            void Forget() => acknowledged.Keys.Where(k => k > kept).ToList().ForEach(k => acknowledged.Remove(k));
        }

        void Reopen()
        {
            try
            {
                log.Dispose();
            }
            catch (IOException)
            {
                // What was buffered alone may be lost, and none of that was acknowledged.
            }

            for (int i = 0; ; i++)
            {
                try
                {
                    log = SluiceLog.Open(folder.Log, Options());
                    break;
                }
                catch (IOException e) when (e is not SluiceLogDamagedException && i < 100)
                {
                    (engine.FlushFailures, engine.WriteFailures) = (engine.FlushFailures / 2, engine.WriteFailures / 2);
                }
            }
        }
    }

    private static List<(long Sequence, string Text)> Read(string directory)
    {
        List<(long, string)> all = [];
        using SluiceLogReader reader = new(directory);
        foreach (LogEntry entry in reader.Entries)
        {
            all.Add((entry.Sequence, System.Text.Encoding.ASCII.GetString(entry.Bytes)));
        }

        return all;
    }

    /// <summary>Fails so many writes and flushes of a thousand, and writes as many in part.</summary>
    private sealed class StormEngine(int seed) : InterceptingEngine
    {
        private readonly Random _random = new(seed);

        public override string Name => "storm";

        public volatile int FlushFailures;
        public volatile int WriteFailures;

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (submission.IsRead)
            {
                return Interception.PassOn;
            }

            lock (_random)
            {
                int fate = _random.Next(1000);
                return !submission.IsWrite ? fate < FlushFailures ? Interception.Fail(FailingEngine.EIO) : Interception.PassOn
                    : fate < WriteFailures ? Interception.Fail(_random.Next(2) == 0 ? FailingEngine.ENOSPC : FailingEngine.EIO)
                    : fate < 2 * WriteFailures && submission.Length > 48
                        ? Interception.ShortenTo(_random.Next(1, submission.Length - 8)) : Interception.PassOn;
            }
        }
    }
}
