using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Log.Tests;

/// <summary>
/// Segments that were to take records back, and were withdrawn because they did not become durable: nobody who reads meanwhile loses or
/// repeats a record, or is told of damage.
/// </summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class WithdrawnTests
{
    private const int Count = 10;

    /// <param name="isBatch">Whether all records are in one frame.</param>
    /// <param name="durability">Of the records, and what the reader stops at.</param>
    /// <param name="before">How many the reader has before.</param>
    /// <param name="rolls">Whether the log goes on in another segment.</param>
    [Theory]
    [InlineData(false, LogDurability.Durable, 10, false)]
    [InlineData(false, LogDurability.Durable, 10, true)]
    [InlineData(false, LogDurability.Durable, 3, false)]
    [InlineData(false, LogDurability.Written, 10, true)]
    [InlineData(false, LogDurability.Written, 3, true)]
    [InlineData(false, LogDurability.Written, 0, false)]
    [InlineData(true, LogDurability.Durable, 3, true)]
    [InlineData(true, LogDurability.Written, 0, true)]
    [InlineData(true, LogDurability.Written, 10, false)]
    public void A_reader_beside_a_tail_that_could_not_be_dropped_gives_each_record_once(
        bool isBatch, LogDurability durability, int before, bool rolls)
    {
        using TempFolder folder = new(isInMemory: true);
        WithdrawingEngine engine = new(folder.Log);
        int number = 0;
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine));
        if (isBatch)
        {
            log.AppendBatch([.. Enumerable.Range(0, Count).Select(i => (ReadOnlyMemory<byte>)Records.Make(0, number++, 100))], durability);
        }
        else
        {
            Append(Count);
        }

        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = durability });
        SluiceLogReader? late = null;
        List<int> read = [];
        Read(reader, read, before);
        List<int> readLate = [];
        int looks = 0;
        engine.BeforeFailing = () =>
        {
            // All that the log seems to have just now.
            looks++;
            Read(reader, read, int.MaxValue);
            late = new SluiceLogReader(folder.Log, new SluiceLogReaderOptions { UpTo = durability });
            Read(late, readLate, 2);
        };
        Should.Throw<IOException>(() => log.TruncateAfter(5)).ShouldNotBeOfType<SluiceLogDamagedException>();
        engine.BeforeFailing = null;
        looks.ShouldBe(1, "nobody read while the tail was being dropped");
        Read(reader, read, int.MaxValue);
        Append(2);
        Read(reader, read, int.MaxValue);
        Append(rolls ? 100 : 1);
        Read(reader, read, int.MaxValue);
        using (late)
        {
            Read(late!, readLate, int.MaxValue);
        }

        read.ShouldBe(Enumerable.Range(0, number));
        readLate.ShouldBe(Enumerable.Range(0, number));
        reader.Tail.ShouldBeNull();

        void Append(int count)
        {
            for (int i = 0; i < count; i++)
            {
                log.Append(Records.Make(0, number++, 100), durability);
            }
        }
    }

    /// <summary>The number of a segment that was withdrawn is given again by the next writer.</summary>
    [Fact]
    public void A_reader_in_a_segment_that_was_withdrawn_is_not_misled_by_another_of_its_number()
    {
        using TempFolder folder = new(isInMemory: true);
        WithdrawingEngine engine = new(folder.Log);
        using SluiceLogReader reader = ReadBeside(folder, engine, out List<int> read);
        int number = Count;
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (; number < 100; number++)
            {
                log.Append(Records.Make(0, number, 100));
            }

            Directory.GetFiles(folder.Log, "*.slog").Length.ShouldBeGreaterThan(2);
        }

        Read(reader, read, int.MaxValue);
        read.ShouldBe(Enumerable.Range(0, number));
    }

    /// <summary>Others of the same log follow: one that fails, and one that does not.</summary>
    [Fact]
    public void A_tail_that_is_dropped_after_all_is_seen()
    {
        using TempFolder folder = new(isInMemory: true);
        WithdrawingEngine engine = new(folder.Log);
        using SluiceLogReader reader = ReadBeside(folder, engine, out List<int> read);
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine));
        engine.BeforeFailing = () => Read(reader, read, int.MaxValue);
        Should.Throw<IOException>(() => log.TruncateAfter(3));
        engine.BeforeFailing = null;
        log.TruncateAfter(7);
        log.Append(Records.Make(0, 70, 100), LogDurability.Durable).ShouldBe(8);
        Read(reader, read, int.MaxValue);
        read.ShouldBe([.. Enumerable.Range(0, Count), 70]);
    }

    /// <summary>The reader is in the first segment that was withdrawn when it sees the second: it goes back before it goes on.</summary>
    [Theory]
    [InlineData(5, 3, LogDurability.Durable)]
    [InlineData(5, 5, LogDurability.Durable)]
    [InlineData(3, 5, LogDurability.Durable)]
    [InlineData(5, 3, LogDurability.Written)]
    public void A_reader_beside_two_tails_that_could_not_be_dropped_gives_each_record_once(int first, int second, LogDurability upTo)
    {
        using TempFolder folder = new(isInMemory: true);
        WithdrawingEngine engine = new(folder.Log);
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine));
        for (int i = 0; i < Count; i++)
        {
            log.Append(Records.Make(0, i, 100), LogDurability.Durable);
        }

        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = upTo });
        List<int> read = [];
        Read(reader, read, int.MaxValue);
        engine.BeforeFailing = () => Read(reader, read, int.MaxValue);
        Should.Throw<IOException>(() => log.TruncateAfter(first));
        Should.Throw<IOException>(() => log.TruncateAfter(second));
        engine.BeforeFailing = null;
        log.Append(Records.Make(0, Count, 100), LogDurability.Durable);
        Read(reader, read, int.MaxValue);
        read.ShouldBe(Enumerable.Range(0, Count + 1));
    }

    /// <summary>A sync fails, and what is written elsewhere does not become durable either; later it does.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(4)]
    [InlineData(Count)]
    public void A_reader_beside_a_device_that_fails_and_is_mended_misses_nothing(int before)
    {
        using TempFolder folder = new(isInMemory: true);
        WithdrawingEngine engine = new(folder.Log);
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine));
        for (int i = 0; i < Count; i++)
        {
            log.Append(Records.Make(0, i, 100), i < 4 ? LogDurability.Durable : LogDurability.Written);
        }

        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        List<int> read = [];
        Read(reader, read, before);
        engine.FailingFlushes = 1;
        engine.BeforeFailing = () => Read(reader, read, int.MaxValue);
        Should.Throw<IOException>(() => log.Flush());
        (engine.BeforeFailing, engine.FailingFlushes) = (null, 0);
        Read(reader, read, int.MaxValue);
        log.Append(Records.Make(0, Count, 100), LogDurability.Durable);
        Read(reader, read, int.MaxValue);

        // What is taken back and written again elsewhere comes again; nothing is missing, and nothing comes before its time.
        int next = 0;
        foreach (int number in read)
        {
            number.ShouldBeLessThanOrEqualTo(next);
            (number == next || number == 4).ShouldBeTrue($"{number} came behind {next - 1}");
            next = number + 1;
        }

        next.ShouldBe(Count + 1);
    }

    /// <summary>
    /// Appends, dropped tails, syncs and openings any of whose flushes may fail, beside readers that look whenever something is flushed: in
    /// the end they have what the log has, and that has all that was acknowledged.
    /// </summary>
    [Theory]
    [InlineData(1)]
    [InlineData(168)]
    [InlineData(218)]
    [InlineData(292)]
    public void Whatever_fails_a_reader_has_in_the_end_what_the_log_has(int seed)
    {
        Random random = new(seed);
        using TempFolder folder = new(isInMemory: true);
        Directory.CreateDirectory(folder.Log);
        using Follower written = new(folder.Log, LogDurability.Written, seed);
        using Follower durable = new(folder.Log, LogDurability.Durable, seed);
        WithdrawingEngine engine = new(folder.Log) { BeforeAny = () => Look() };
        SortedDictionary<long, int> acknowledged = [];
        SluiceLog? log = null;
        int number = 0;
        for (int step = 0; step < 200; step++)
        {
            bool isOpening = log is null;
            try
            {
                log ??= SluiceLog.Open(folder.Log, With(engine));
                engine.FailingFlushes = random.Next(4) == 0 ? random.Next(1, 4) : 0;
                switch (random.Next(8))
                {
                    case 0 when log.NextSequence > 1:
                        long last = random.NextInt64(log.FirstSequence - 1, log.NextSequence);
                        log.TruncateAfter(last);
                        acknowledged.Keys.Where(k => k > last).ToList().ForEach(k => acknowledged.Remove(k));
                        break;
                    case 1:
                        log.Flush();
                        break;
                    case 2 when random.Next(4) == 0:
                        SluiceLog closing = log;
                        log = null;
                        closing.Dispose();
                        break;
                    default:
                        int own = number++;
                        acknowledged[log.Append(Records.Make(0, own, 200), (LogDurability)random.Next(1, 3))] = own;
                        break;
                }
            }
            catch (IOException e)
            {
                e.ShouldNotBeOfType<SluiceLogDamagedException>($"step {step}: {e}");
            }

            engine.FailingFlushes = 0;
            Look();
        }

        log ??= SluiceLog.Open(folder.Log, With(engine));
        log.Append(Records.Make(0, number, 200), LogDurability.Durable);
        List<(long, int)> content = [.. Records.ReadAll(folder.Log).Select(static r => (r.Sequence, Records.Check(r.Bytes).Number))];
        written.ReadAll().ShouldBe(content);
        durable.ReadAll().ShouldBe(content);
        acknowledged.ShouldAllBe(a => content.Contains(new(a.Key, a.Value)));
        log.Dispose();

        void Look()
        {
            written.ReadSome();
            durable.ReadSome();
        }
    }

    /// <summary>
    /// A power cut may bring a removed name back: it is flushed before anything else is durable, and the mark that says what was durable is
    /// on the disk again in any case.
    /// </summary>
    [SkippableTheory]
    [InlineData(0, 0)]
    [InlineData(1, FailingEngine.EIO)]
    [InlineData(1, Errno.EACCES)]
    public void What_was_withdrawn_does_not_come_back_before_what_is_durable_later(int failures, int errno)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Names are flushed on Linux.");
        using TempFolder folder = new(isInMemory: true);
        WithdrawingEngine engine = new(folder.Log);
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine));
        log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
        engine.BeforeFailing = () => { };
        int thread = Environment.CurrentManagedThreadId;
        List<string> calls = [];
        List<long> marks = [];
        int toFail = failures;
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (Environment.CurrentManagedThreadId != thread || call is not ("unlinkat" or "fsync"))
            {
                return 0;
            }

            if (call == "fsync" && Libc.TypeOf(fd) != Statx.TypeDirectory)
            {
                string path = File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false)!.FullName;
                if (path.EndsWith(LogFolder.StateName, StringComparison.Ordinal))
                {
                    marks.Add(LogState.TryRead(path)!.Value.DurableSequence);
                }

                return 0;
            }

            calls.Add(call);
            return call == "fsync" && calls.Contains("unlinkat") && toFail-- > 0 ? -errno : 0;
        });
        try
        {
            Should.Throw<IOException>(() => log.TruncateAfter(0));
            engine.BeforeFailing = null;
            calls[^2..].ShouldBe(["unlinkat", "fsync"], string.Join(' ', calls));
            marks.ShouldBe([0, 1]);
            calls.Clear();
            log.Append(Records.Make(0, 1, 100), LogDurability.Durable);
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        calls.Count(static c => c == "fsync").ShouldBe(failures);
        Records.ReadAll(folder.Log).Count.ShouldBe(2);
    }

    private static SluiceLogReader ReadBeside(TempFolder folder, WithdrawingEngine engine, out List<int> read)
    {
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine));
        for (int i = 0; i < Count; i++)
        {
            log.Append(Records.Make(0, i, 100), LogDurability.Durable);
        }

        SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        List<int> numbers = read = [];
        engine.BeforeFailing = () => Read(reader, numbers, int.MaxValue);
        Should.Throw<IOException>(() => log.TruncateAfter(5));
        engine.BeforeFailing = null;
        return reader;
    }

    private static void Read(SluiceLogReader reader, List<int> numbers, int count)
    {
        for (int i = 0; i < count && reader.TryRead(out LogEntry entry); i++)
        {
            numbers.Add(Records.Check(entry.Bytes).Number);
        }
    }

    private static SluiceLogOptions With(IoEngine engine) => new()
    {
        Engine = engine,
        SegmentBytes = 4096,
        MaxRecordBytes = 3000,
        BufferBytes = 12_000,
        Preallocate = false,
        FlushInterval = TimeSpan.FromHours(1),
    };

    /// <summary>A reader that notes what it has of the log by now.</summary>
    private sealed class Follower(string directory, LogDurability upTo, int seed) : IDisposable
    {
        private readonly SluiceLogReader _reader = new(directory, new SluiceLogReaderOptions { UpTo = upTo });
        private readonly SortedDictionary<long, int> _seen = [];
        private readonly Random _random = new(seed);

        public void ReadSome()
        {
            lock (_seen)
            {
                Read(_random.Next(6));
            }
        }

        public IEnumerable<(long Sequence, int Number)> ReadAll()
        {
            lock (_seen)
            {
                Read(int.MaxValue);
                return [.. _seen.Select(static s => (s.Key, s.Value))];
            }
        }

        public void Dispose() => _reader.Dispose();

        private void Read(int count)
        {
            for (int i = 0; i < count && _reader.TryRead(out LogEntry entry); i++)
            {
                // Numbers that begin again are those of a tail that was dropped.
                long sequence = entry.Sequence;
                _seen.Keys.Where(k => k >= sequence).ToList().ForEach(k => _seen.Remove(k));
                _seen.Add(sequence, Records.Check(entry.Bytes).Number);
            }
        }
    }
}
