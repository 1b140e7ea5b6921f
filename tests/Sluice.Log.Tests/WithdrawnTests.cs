using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Log.Tests;

/// <summary>
/// Segments that were to take records back, and were withdrawn because they did not become durable: nobody who reads meanwhile loses or
/// repeats a record, or is told of damage.
/// </summary>
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
        using SluiceLogReader late = new(folder.Log, new SluiceLogReaderOptions { UpTo = durability });
        List<int> read = [];
        Read(reader, read, before);
        List<int> readLate = [];
        int looks = 0;
        engine.BeforeFailing = () =>
        {
            // All that the log seems to have just now.
            looks++;
            Read(reader, read, int.MaxValue);
        };
        Should.Throw<IOException>(() => log.TruncateAfter(5)).ShouldNotBeOfType<SluiceLogDamagedException>();
        engine.BeforeFailing = null;
        looks.ShouldBe(1, "nobody read while the tail was being dropped");
        Read(reader, read, int.MaxValue);
        Append(2);
        Read(reader, read, int.MaxValue);
        Append(rolls ? 100 : 1);
        Read(reader, read, int.MaxValue);
        Read(late, readLate, int.MaxValue);
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

    /// <summary>A power cut may bring a removed name back: it is flushed before anything else is durable.</summary>
    [SkippableTheory]
    [InlineData(0)]
    [InlineData(1)]
    public void What_was_withdrawn_does_not_come_back_before_what_is_durable_later(int failures)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Names are flushed on Linux.");
        using TempFolder folder = new(isInMemory: true);
        WithdrawingEngine engine = new(folder.Log);
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine));
        log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
        engine.BeforeFailing = () => { };
        int thread = Environment.CurrentManagedThreadId;
        List<string> calls = [];
        int toFail = failures;
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (Environment.CurrentManagedThreadId != thread
                || !(call == "unlinkat" || (call == "fsync" && Libc.TypeOf(fd) == Statx.TypeDirectory)))
            {
                return 0;
            }

            calls.Add(call);
            return call == "fsync" && calls.Contains("unlinkat") && toFail-- > 0 ? -FailingEngine.EIO : 0;
        });
        try
        {
            Should.Throw<IOException>(() => log.TruncateAfter(0));
            engine.BeforeFailing = null;
            calls[^2..].ShouldBe(["unlinkat", "fsync"], string.Join(' ', calls));
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

    /// <summary>Lets the flush of a segment that takes records back fail, and lets somebody look before.</summary>
    private sealed class WithdrawingEngine(string directory) : InterceptingEngine
    {
        public Action? BeforeFailing { get; set; }

        /// <summary>How many other flushes fail as well.</summary>
        public int FailingFlushes { get; set; }

        public override string Name => "withdrawing";

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (submission.IsRead || submission.IsWrite)
            {
                return Interception.PassOn;
            }

            if (FailingFlushes > 0)
            {
                FailingFlushes--;
                return Interception.Fail(FailingEngine.EIO);
            }

            if (BeforeFailing is { } look
                && new LogFolder(directory, SegmentNames.Framed) is var folder
                && SegmentInfo.Read(folder.PathOf(folder.List()[^1]), folder.List()[^1]) is { Restarts: true })
            {
                look();
                return Interception.Fail(FailingEngine.EIO);
            }

            return Interception.PassOn;
        }
    }
}
