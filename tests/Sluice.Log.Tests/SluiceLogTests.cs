namespace Sluice.Log.Tests;

/// <summary>What a log promises when nothing goes wrong.</summary>
public sealed class SluiceLogTests
{
    public static TheoryData<LogDurability> Durabilities => [LogDurability.Buffered, LogDurability.Written, LogDurability.Durable];

    [Theory]
    [MemberData(nameof(Durabilities))]
    public async Task What_was_appended_is_read_back_in_order(LogDurability durability)
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(new SluiceLogOptions { Durability = durability, Preallocate = false }))
        {
            for (int i = 0; i < 300; i++)
            {
                byte[] record = Records.Make(1, i, i * 3);
                long sequence = i % 2 == 0 ? log.Append(record) : await log.AppendAsync(record);
                sequence.ShouldBe(i + 1);
            }

            log.NextSequence.ShouldBe(301);
            log.Flush(LogDurability.Written);
            log.WrittenSequence.ShouldBe(300);
            await log.WaitDurableAsync(300);
            log.DurableSequence.ShouldBe(300);
            folder.ReadAll().Count.ShouldBe(300);
        }

        folder.ShouldHave(300);
    }

    [Fact]
    public void An_acknowledged_record_is_in_the_file_or_on_the_disk()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { FlushInterval = TimeSpan.FromHours(1) });
        log.Append(Records.Make(0, 0, 50), LogDurability.Buffered).ShouldBe(1);
        log.WrittenSequence.ShouldBe(0);
        log.Append(Records.Make(0, 1, 50), LogDurability.Written).ShouldBe(2);
        log.WrittenSequence.ShouldBe(2);
        log.DurableSequence.ShouldBe(0);
        folder.ReadAll().Count.ShouldBe(2);
        folder.ReadAll(new SluiceLogReaderOptions { UpTo = LogDurability.Durable }).Count.ShouldBe(0);
        log.Append(Records.Make(0, 2, 50), LogDurability.Durable).ShouldBe(3);
        log.DurableSequence.ShouldBe(3);
        folder.ReadAll(new SluiceLogReaderOptions { UpTo = LogDurability.Durable }).Count.ShouldBe(3);
    }

    [Fact]
    public async Task A_buffered_record_is_written_without_being_asked_for()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions
        {
            Durability = LogDurability.Buffered,
            FlushInterval = TimeSpan.FromMilliseconds(5),
        });
        for (int i = 0; i < 5; i++)
        {
            long sequence = log.Append(Records.Make(0, i, 50));
            while (log.WrittenSequence < sequence)
            {
                await Task.Delay(1);
            }
        }
    }

    [Fact]
    public void Segments_follow_one_another_and_are_read_as_one()
    {
        using TempFolder folder = new();
        SluiceLogOptions options = new() { SegmentBytes = 64 * 1024, MaxRecordBytes = 8000, BufferBytes = 32_000 };
        using (SluiceLog log = folder.Open(options))
        {
            for (int i = 0; i < 4000; i++)
            {
                log.Append(Records.Make(0, i, 200), i % 100 == 0 ? LogDurability.Durable : LogDurability.Buffered);
            }
        }

        folder.Segments.Length.ShouldBeGreaterThan(10);
        folder.Segments.ShouldAllBe(f => new FileInfo(f).Length <= 70_000);
        folder.ShouldHave(4000);
        using SluiceLog again = folder.Open(options);
        again.NextSequence.ShouldBe(4001);
        again.Cut.ShouldBeNull();
    }

    [Fact]
    public void A_log_goes_on_where_it_ended()
    {
        using TempFolder folder = new();
        for (int run = 0; run < 12; run++)
        {
            using SluiceLog log = folder.Open(new SluiceLogOptions { SegmentBytes = 8192, MaxRecordBytes = 2000, BufferBytes = 8000 });
            log.Cut.ShouldBeNull();
            for (int i = 0; i < 25; i++)
            {
                log.Append(Records.Make(0, (run * 25) + i, 100)).ShouldBe((run * 25) + i + 1);
            }
        }

        folder.ShouldHave(300);
    }

    [Theory]
    [MemberData(nameof(Durabilities))]
    public async Task Many_threads_and_tasks_lose_tear_and_double_nothing(LogDurability durability)
    {
        using TempFolder folder = new();
        int count = durability == LogDurability.Durable ? 60 : 1500;
        using (SluiceLog log = folder.Open(new SluiceLogOptions
        {
            Durability = durability,
            SegmentBytes = 200_000,
            MaxRecordBytes = 16_000,
            BufferBytes = 64_000,
        }))
        {
            Thread[] threads = Threads.Start(8, t =>
            {
                long last = 0;
                for (int i = 0; i < count; i++)
                {
                    long sequence = log.Append(Records.Make(t, i, (i * 13) % 400));
                    sequence.ShouldBeGreaterThan(last);
                    last = sequence;
                }
            });
            await Task.WhenAll(Enumerable.Range(8, 8).Select(t => Task.Run(async () =>
            {
                for (int i = 0; i < count; i++)
                {
                    await log.AppendAsync(Records.Make(t, i, (i * 17) % 400));
                }
            })));
            threads.JoinInTime();
        }

        int[] next = new int[16];
        long sequence = 0;
        foreach ((long at, byte[] bytes) in folder.ReadAll())
        {
            at.ShouldBe(++sequence);
            (int writer, int number) = Records.Check(bytes);
            number.ShouldBe(next[writer]++);
        }

        next.ShouldAllBe(n => n == count);
    }

    [Fact]
    public async Task A_batch_stands_together()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open();
        ReadOnlyMemory<byte>[] batch = [.. Enumerable.Range(0, 5).Select(static i => (ReadOnlyMemory<byte>)Records.Make(0, i, 30))];
        log.AppendBatch(batch).ShouldBe(1);
        log.AppendBatch([]).ShouldBe(6);
        (await log.AppendBatchAsync(batch, LogDurability.Durable)).ShouldBe(6);
        log.DurableSequence.ShouldBe(10);
        folder.Numbers().ShouldBe([0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
        ReadOnlyMemory<byte>[] tooLong = [new byte[600_000], new byte[600_000]];
        Should.Throw<ArgumentException>(() => log.AppendBatch(tooLong));
        log.NextSequence.ShouldBe(11);
    }

    [Fact]
    public void Larger_records_than_a_segment_was_made_for_go_to_a_new_one()
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(new SluiceLogOptions { MaxRecordBytes = 100, Preallocate = false }))
        {
            log.Append(Records.Make(0, 0, 90));
        }

        for (int i = 1; i < 4; i++)
        {
            using SluiceLog log = folder.Open(new SluiceLogOptions { MaxRecordBytes = 100_000, Preallocate = false });
            log.Cut.ShouldBeNull();
            log.Append(Records.Make(0, i, 30_000)).ShouldBe(i + 1);
        }

        folder.ReadAll().Count.ShouldBe(4);
    }

    [Fact]
    public void A_second_writer_is_told_who_has_the_log()
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open())
        {
            IOException error = Should.Throw<IOException>(() => folder.Open());
            error.Message.ShouldContain(folder.Log);
            error.Message.ShouldContain("another writer");
            error.Message.ShouldContain($"{Environment.ProcessId}");
            log.Append("still here"u8);
        }

        using SluiceLog again = folder.Open();
        again.NextSequence.ShouldBe(2);
    }

    [Fact]
    public async Task A_closed_log_says_so()
    {
        using TempFolder folder = new();
        SluiceLog log = folder.Open(new SluiceLogOptions { Durability = LogDurability.Buffered });
        log.Append("one"u8);
        await log.DisposeAsync();
        log.Dispose();
        Should.Throw<ObjectDisposedException>(() => log.Append("two"u8));
        Should.Throw<ObjectDisposedException>(() => log.Flush());
        Should.Throw<ObjectDisposedException>(() => log.Reserve(3).Commit());
        folder.ReadAll().Count.ShouldBe(1);
    }

    [Fact]
    public void Arguments_are_checked_and_change_nothing()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { MaxRecordBytes = 1000 });
        Should.Throw<ArgumentException>(() => log.Append(new byte[1001]));
        Should.Throw<ArgumentOutOfRangeException>(() => log.Append(new byte[1], (LogDurability)3));
        Should.Throw<ArgumentOutOfRangeException>(() => log.WaitDurableAsync(1).AsTask().GetAwaiter().GetResult());
        log.Append(new byte[1000]).ShouldBe(1);
        log.Append([]).ShouldBe(2);
        folder.ReadAll().Select(static r => r.Bytes.Length).ShouldBe([1000, 0]);
    }

    [Fact]
    public void Closing_while_others_append_loses_nothing_that_was_acknowledged()
    {
        for (int run = 0; run < 9; run++)
        {
            using TempFolder folder = new(isInMemory: true);
            SluiceLog log = folder.Open(new SluiceLogOptions
            {
                Durability = (LogDurability)(run % 3),
                MaxRecordBytes = 4000,
                BufferBytes = 16_000,
                Preallocate = false,
            });
            int[] acknowledged = new int[4];
            Thread[] threads = Threads.Start(4, t =>
            {
                try
                {
                    for (int i = 0; ; i++)
                    {
                        log.Append(Records.Make(t, i, 60));
                        Volatile.Write(ref acknowledged[t], i + 1);
                    }
                }
                catch (ObjectDisposedException)
                {
                }
            });
            Threads.WaitUntil(() => Volatile.Read(ref acknowledged[0]) >= 20);

            log.Dispose();
            threads.JoinInTime();

            int[] found = new int[4];
            foreach ((long _, byte[] bytes) in folder.ReadAll())
            {
                (int writer, int number) = Records.Check(bytes);
                number.ShouldBe(found[writer]++);
            }

            for (int t = 0; t < 4; t++)
            {
                found[t].ShouldBeGreaterThanOrEqualTo(acknowledged[t]);
            }
        }
    }

    [Fact]
    public void Full_memory_is_waited_for_or_an_error()
    {
        using TempFolder folder = new();
        HeldEngine engine = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions
        {
            Durability = LogDurability.Buffered,
            MaxRecordBytes = 1000,
            BufferBytes = 1,
            WaitWhenFull = false,
            Engine = engine,
        });
        log.Append(new byte[100], LogDurability.Written);
        engine.Hold();
        int appended = 0;
        IOException error = Should.Throw<IOException>(() =>
        {
            for (; appended < 100; appended++)
            {
                log.Append(new byte[900]);
            }
        });
        error.Message.ShouldContain("memory");
        appended.ShouldBeLessThan(4);
        engine.Release();
        log.Flush();
        log.NextSequence.ShouldBe(appended + 2);
        folder.ReadAll().Count.ShouldBe(appended + 1);
    }

    [Fact]
    public async Task Waiting_for_memory_appends_in_the_end()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { Durability = LogDurability.Buffered, MaxRecordBytes = 1000, BufferBytes = 1 });
        List<Task<long>> tasks = [];
        for (int i = 0; i < 500; i++)
        {
            tasks.Add(log.AppendAsync(Records.Make(0, i, 600)).AsTask());
        }

        long[] sequences = await Task.WhenAll(tasks);
        sequences.Order().ShouldBe(Records.Range(1, 500));
    }
}
