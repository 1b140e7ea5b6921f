namespace Sluice.Log.Tests;

/// <summary>A reader that follows a log whose tail is dropped again and again has in the end what the log has.</summary>
[Trait("Runs", "once")]
public sealed class FollowedTruncationTests
{
    private const int Rounds = 60;

    /// <summary>What was taken back of a frame is never durable: the rest of it does not wait for that.</summary>
    [Theory]
    [InlineData(10)]
    [InlineData(1)]
    [InlineData(19)]
    public void A_reader_of_what_is_durable_reads_what_stays_of_a_frame_that_was_taken_back_in_part(int stays)
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Preallocate = false });
        log.AppendBatch([.. Enumerable.Range(1, 20).Select(i => new ReadOnlyMemory<byte>(Records.Make(1, i, 20)))], LogDurability.Written);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Durable });
        reader.TryRead(out _).ShouldBeFalse();
        log.TruncateAfter(stays);
        for (int i = 1; i <= stays; i++)
        {
            reader.TryRead(out LogEntry entry).ShouldBeTrue();
            entry.Sequence.ShouldBe(i);
            Records.Check(entry.Bytes).ShouldBe((1, i));
        }

        reader.TryRead(out _).ShouldBeFalse();
        log.Append(Records.Make(2, 1, 20), LogDurability.Durable);
        reader.TryRead(out LogEntry behind).ShouldBeTrue();
        (behind.Sequence, reader.Drops).ShouldBe((stays + 1, 0));
        Records.Check(behind.Bytes).ShouldBe((2, 1));
    }

    /// <summary>Where it went back it was sent by its time to a segment far before, and passed by one that took back what it had
    /// read.</summary>
    [Theory]
    [InlineData(true, false)]
    [InlineData(true, true)]
    [InlineData(false, true)]
    public void A_reader_from_a_time_on_is_told_of_each_drop(bool isFromTime, bool looksBetween)
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { SegmentBytes = 4096, Preallocate = false, Durability = LogDurability.Durable });
        DateTimeOffset time = default;
        for (int i = 1; i <= 100; i++)
        {
            log.Append(Records.Make(1, i, 200));
            if (i == 20)
            {
                Thread.Sleep(20);
                time = DateTimeOffset.UtcNow;
                Thread.Sleep(20);
            }
        }

        using SluiceLogReader reader = new(
            folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Durable, FromTime = isFromTime ? time : null });
        SortedDictionary<long, (int, int)> view = [];
        long drops = 0;
        void ReadOn()
        {
            while (reader.TryRead(out LogEntry entry))
            {
                if (reader.Drops != drops)
                {
                    drops = reader.Drops;
                    view.Keys.Where(s => s >= reader.DroppedFrom).ToList().ForEach(s => view.Remove(s));
                }

                view.TryAdd(entry.Sequence, Records.Check(entry.Bytes)).ShouldBeTrue();
            }
        }

        ReadOn();
        foreach (int last in (int[])[90, 85, 80])
        {
            log.TruncateAfter(last);
            if (last > 80 || looksBetween)
            {
                ReadOn();
            }
        }

        for (int i = 81; i <= 99; i++)
        {
            log.Append(Records.Make(2, i, 200));
        }

        ReadOn();
        view.ShouldBe(Enumerable.Range(isFromTime ? 21 : 1, isFromTime ? 79 : 99).Select(
            i => KeyValuePair.Create((long)i, (i <= 80 ? 1 : 2, i))));
    }

    /// <summary>The moments are the scheduler's: in one round of ten to twenty a second drop came where the reader went back from the
    /// first.</summary>
    [Fact]
    public void A_reader_beside_many_drops_has_in_the_end_what_the_log_has()
    {
        Random random = new(7);
        for (int round = 0; round < Rounds; round++)
        {
            using TempFolder folder = new(isInMemory: true);
            using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { SegmentBytes = 1 << 20, Preallocate = false });
            SortedDictionary<long, (int, int)> followed = [];
            using CancellationTokenSource giveUp = new(TimeSpan.FromMinutes(1));
            Task following = Task.Factory.StartNew(
                () =>
                {
                    using SluiceLogReader reader = new(folder.Log);
                    while (!giveUp.IsCancellationRequested)
                    {
                        if (reader.TryRead(out LogEntry entry))
                        {
                            long sequence = entry.Sequence;
                            foreach (long dropped in followed.Keys.Where(s => s >= sequence).ToList())
                            {
                                followed.Remove(dropped);
                            }

                            followed[sequence] = Records.Check(entry.Bytes);
                            if (followed[sequence].Item1 == Rounds)
                            {
                                return;
                            }
                        }
                    }
                },
                TaskCreationOptions.LongRunning);
            for (int step = 0; step < 60; step++)
            {
                int count = random.Next(1, 12);
                for (int i = 0; i < count; i++)
                {
                    log.Append(Records.Make(step % Rounds, i, 20), LogDurability.Written);
                }

                if (random.Next(2) == 0)
                {
                    log.TruncateAfter(random.NextInt64(0, log.NextSequence));
                }
            }

            log.Append(Records.Make(Rounds, 0, 20), LogDurability.Written);
            following.Wait();
            giveUp.IsCancellationRequested.ShouldBeFalse($"round {round}: the reader waits behind the log's end");
            Records.ReadAll(folder.Log).Select(static r => (r.Sequence, Records.Check(r.Bytes)))
                .ShouldBe(followed.Select(static p => (p.Key, p.Value)), $"round {round}");
        }
    }

    /// <summary>The first records behind the drop are withdrawn, so that no sequence comes a second time.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(5)]
    public void A_reader_says_from_where_on_what_it_has_read_was_dropped(int withdrawn)
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        using SluiceLogReader reader = new(folder.Log);
        for (int i = 0; i < 5; i++)
        {
            log.Append(Records.Make(0, i, 100));
            reader.TryRead(out _).ShouldBeTrue();
        }

        reader.DroppedFrom.ShouldBe(0);
        log.TruncateAfter(3);
        for (int i = 0; i < withdrawn; i++)
        {
            log.Reserve(50).Dispose();
        }

        long sequence = log.Append(Records.Make(1, 0, 100));
        sequence.ShouldBe(4 + withdrawn);
        reader.TryRead(out LogEntry entry).ShouldBeTrue();
        entry.Sequence.ShouldBe(sequence);
        reader.DroppedFrom.ShouldBe(4);
        log.TruncateAfter(sequence);
        reader.TryRead(out _).ShouldBeFalse();
        (reader.DroppedFrom, reader.Drops).ShouldBe((4, 1));
        log.TruncateAfter(3);
        log.Reserve(50).Dispose();
        log.Append(Records.Make(1, 1, 100));
        reader.TryRead(out entry).ShouldBeTrue();
        (entry.Sequence, reader.DroppedFrom, reader.Drops).ShouldBe((5, 4, 2));
    }

    /// <summary>
    /// A sync fails, and what is written again to another segment cannot be written to its end: who has read its beginning gets what comes
    /// behind that from the old segment once more.
    /// </summary>
    /// <param name="copied">How many of the seven frames are written again.</param>
    /// <param name="isOpenedAgain">Whether the log is closed meanwhile.</param>
    [Theory]
    [InlineData(0, false)]
    [InlineData(1, false)]
    [InlineData(4, false)]
    [InlineData(4, true)]
    [InlineData(6, true)]
    public void A_reader_of_a_recovery_that_fails_half_way_has_in_the_end_what_the_log_has(int copied, bool isOpenedAgain)
    {
        using TempFolder folder = new(isInMemory: true);
        HalfRecoveredEngine engine = new();
        SluiceLogOptions options = new() { Engine = engine, Preallocate = false, SegmentBytes = 65536 };
        SluiceLog log = SluiceLog.Open(folder.Log, options);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        SortedDictionary<long, int> followed = [];
        long last = 0;
        for (int i = 1; i <= 10; i++)
        {
            log.Append(Records.Make(0, i, 50), i <= 3 ? LogDurability.Durable : LogDurability.Written);
        }

        Follow();
        last.ShouldBe(10);
        engine.FailBehind(1 + copied, Follow);
        Should.Throw<IOException>(() => log.Flush());
        engine.HasFailed.ShouldBeTrue();
        Follow();
        if (isOpenedAgain)
        {
            Should.Throw<IOException>(log.Dispose);
            engine.IsWell = true;
            log = SluiceLog.Open(folder.Log, options);
        }

        using (log)
        {
            engine.IsWell = true;
            log.Append(Records.Make(0, 11, 50), LogDurability.Durable);
            Follow();
        }

        followed.Select(static p => (p.Key, p.Value)).ShouldBe(Enumerable.Range(1, 11).Select(static i => ((long)i, i)));

        void Follow()
        {
            while (reader.TryRead(out LogEntry entry))
            {
                // As one who knows of sequences alone.
                long sequence = entry.Sequence;
                foreach (long dropped in followed.Keys.Where(s => s >= sequence).ToList())
                {
                    followed.Remove(dropped);
                }

                followed[last = sequence] = Records.Check(entry.Bytes).Number;
            }
        }
    }

    /// <summary>The segment that took the tail back is removed before the reader has seen it.</summary>
    [Fact]
    public void A_reader_that_passes_over_damage_leaves_nothing_out_behind_a_drop_that_is_gone()
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        Append(log, 20, 1, 100);
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true });
        for (int i = 1; i <= 20; i++)
        {
            reader.TryRead(out LogEntry entry).ShouldBeTrue();
            entry.Sequence.ShouldBe(i);
        }

        log.TruncateAfter(5);
        Append(log, 14, 2, 600);
        log.Flush();
        log.TruncateBefore(log.NextSequence - 3).ShouldBeGreaterThan(1);
        Append(log, 6, 3, 600);
        List<long> read = [];
        while (reader.TryRead(out LogEntry entry))
        {
            Records.Check(entry.Bytes).Writer.ShouldBeGreaterThan(1);
            read.Add(entry.Sequence);
        }

        read.ShouldBe(Enumerable.Range((int)log.FirstSequence, (int)(log.NextSequence - log.FirstSequence)).Select(static s => (long)s));
        reader.Damage.ShouldNotBeEmpty();
    }

    private static void Append(SluiceLog log, int count, int writer, int length)
    {
        for (int i = 0; i < count; i++)
        {
            log.Append(Records.Make(writer, i, length), LogDurability.Written);
        }
    }

    /// <summary>One flush fails, and after so many more writes of frames every write, until the disk is well.</summary>
    private sealed class HalfRecoveredEngine : InterceptingEngine
    {
        private int _left = -1;
        private bool _isToFlush;
        private Action? _meanwhile;

        public override string Name => "half recovered";

        public bool IsWell { get; set; } = true;

        public bool HasFailed { get; private set; }

        public void FailBehind(int writes, Action meanwhile) => (_left, _meanwhile, _isToFlush, IsWell) = (writes, meanwhile, true, false);

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (IsWell || submission.IsRead)
            {
                return Interception.PassOn;
            }

            if (!submission.IsWrite)
            {
                bool fails = _isToFlush;
                _isToFlush = false;
                return fails ? Interception.Fail(Support.FailingEngine.EIO) : Interception.PassOn;
            }

            // Neither a segment's header nor log.state.
            if (_isToFlush || submission.FileOffset == 0 || _left-- > 0)
            {
                return Interception.PassOn;
            }

            if (!HasFailed)
            {
                HasFailed = true;
                _meanwhile!();
            }

            return Interception.Fail(Support.FailingEngine.ENOSPC);
        }
    }
}
