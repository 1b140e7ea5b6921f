using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using Sluice.Log.Stages;

namespace Sluice.Log.Tests;

/// <summary>A record that is written in place ends once.</summary>
public sealed class ReservationTests
{
    /// <summary>An argument is a copy, and so is what a method is called on that has it by <c>in</c>.</summary>
    [Fact]
    public async Task A_reservation_ends_once_whatever_copy_of_it_ends_it()
    {
        using TempFolder folder = new();
        SluiceLog log = SluiceLog.Open(folder.Log);
        int lengthBehindEnd = -1;
        int lengthOfNext = -1;
        bool threw = false;
        Use();
        await Task.Run(log.Dispose).WaitAsync(TimeSpan.FromMinutes(1));
        Records.ReadAll(folder.Log).Select(static r => (r.Sequence, Records.Check(r.Bytes).Number)).ShouldBe([(1, 1), (2, 2), (4, 4)]);
        threw.ShouldBeTrue();
        lengthBehindEnd.ShouldBe(0);
        lengthOfNext.ShouldBe(40);

        void Use()
        {
            using (LogReservation first = log.Reserve(40))
            {
                CommitIn(first, 1);
                lengthBehindEnd = first.Span.Length;
            }

            using (LogReservation second = log.Reserve(40))
            {
                CommitValue(second, 2);
                try
                {
                    second.Commit(LogDurability.Buffered);
                }
                catch (InvalidOperationException)
                {
                    threw = true;
                }

                // What has ended ends nobody else's that came behind it.
                using LogReservation third = log.Reserve(40);
                second.Dispose();
                lengthOfNext = third.Span.Length;
            }

            using LogReservation fourth = log.Reserve(40);
            CommitIn(fourth, 4);
        }

        static void CommitIn(in LogReservation reservation, int number)
        {
            Records.Fill(reservation.Span, 0, number);
            reservation.Commit(LogDurability.Buffered);
        }

        static void CommitValue(LogReservation reservation, int number)
        {
            Records.Fill(reservation.Span, 0, number);
            reservation.Commit(LogDurability.Buffered);
        }
    }

    /// <summary>Memory of the log, which had other records before, is no record of its own.</summary>
    [Fact]
    public void What_a_reservation_does_not_fill_is_zeros_in_the_file()
    {
        using TempFolder folder = new();
        SluiceLogOptions options = new() { BufferBytes = 64_000, MaxRecordBytes = 8000, Preallocate = false };
        using SluiceLog log = SluiceLog.Open(folder.Log, options);
        byte[] earlier = new byte[8000];
        Array.Fill(earlier, (byte)0xAA);
        for (int i = 0; i < 50; i++)
        {
            log.Append(earlier, LogDurability.Written);
        }

        string file = Directory.GetFiles(folder.Log, "*.slog").Single();
        int written = (int)new FileInfo(file).Length;
        for (int i = 0; i < 10; i++)
        {
            using (LogReservation withdrawn = log.Reserve(7000))
            {
                withdrawn.Span.ContainsAnyExcept((byte)0).ShouldBeFalse();
                withdrawn.Span[..100].Fill(0xAA);
            }

            using LogReservation partlyFilled = log.Reserve(7000);
            partlyFilled.Span[0] = 1;
            partlyFilled.Commit(LogDurability.Written);
        }

        using SluiceHandle handle = SluiceHandle.Open(file, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        byte[] bytes = new byte[handle.Length - written];
        handle.Read(bytes, written).ShouldBe(bytes.Length);
        bytes.Length.ShouldBeGreaterThan(20 * 7000);
        bytes.AsSpan().IndexOf(earlier.AsSpan(0, 4)).ShouldBe(-1);
    }

    /// <summary>It would have to wait for itself where all memory waits, or where the wait is for what comes behind it.</summary>
    [Fact]
    public async Task Who_has_a_reservation_is_told_before_waiting_for_what_it_holds_up()
    {
        using TempFolder folder = new();
        await Task.Factory.StartNew(Use, TaskCreationOptions.LongRunning).WaitAsync(TimeSpan.FromMinutes(1));
        List<(long Sequence, byte[] Bytes)> all = Records.ReadAll(folder.Log);
        all.Select(static r => r.Sequence).ShouldBe([1L, 2, 3, 4, 5]);
        all.TakeLast(2).Select(static r => Encoding.UTF8.GetString(r.Bytes)).ShouldBe(["nothing is taken", "nor of this"]);

        void Use()
        {
            using SluiceLog log = SluiceLog.Open(folder.Log);
            using SluiceLog another = SluiceLog.Open(Path.Combine(folder.Root, "another"));
            byte[] record = Records.Make(0, 0, 40);
            ReadOnlyMemory<byte>[] batch = [record];
            log.Append(record, LogDurability.Buffered);
            using TextWriter lines = log.CreateTextWriter();
            lines.Write("nothing ");
            PipeWriter pipe = log.CreatePipeWriter();
            pipe.Write("nor of this"u8);
            Action[] calls =
            [
                () => log.Append(record, LogDurability.Buffered),
                () => log.AppendBatch(batch, LogDurability.Durable),
                () => log.Reserve(1).Dispose(),
                () => log.Flush(),
                () => log.TruncateAfter(1),
                () => log.TruncateBefore(1),
                () => log.TruncateBefore(DateTimeOffset.UnixEpoch),
                () => log.AppendAsync(record).AsTask().GetAwaiter().GetResult(),
                () => log.AppendBatchAsync(batch).AsTask().GetAwaiter().GetResult(),
                () => log.FlushAsync().AsTask().GetAwaiter().GetResult(),
                () => log.WaitDurableAsync(0).AsTask().GetAwaiter().GetResult(),
                () => lines.WriteLine("and not this"),
                () => lines.Write('\n'),
                () => lines.FlushAsync().GetAwaiter().GetResult(),
                () => lines.Dispose(),
                () => log.AppendBatch([], LogDurability.Buffered),
                () => pipe.WriteAsync("and not that"u8.ToArray()).AsTask().GetAwaiter().GetResult(),
                () => pipe.Complete(),
            ];
            LogReservation reserved = log.Reserve(40);
            foreach (Action call in calls)
            {
                Should.Throw<InvalidOperationException>(call).Message.ShouldContain(folder.Log);
            }

            // Others, and other logs, have nothing to do with it.
            another.Append(record, LogDurability.Durable);
            long others = 0;
            Thread other = new(() => others = log.Append(record, LogDurability.Buffered));
            other.Start();
            other.JoinInTime();
            others.ShouldBe(3);
            Records.Fill(reserved.Span, 0, 1);
            reserved.Commit(LogDurability.Durable);
            log.Flush();

            // Of what was refused nothing is taken, and what was there before is not gone.
            lines.WriteLine("is taken");
            pipe.Complete();
        }
    }

    /// <summary>An exception between a reservation and its end, where nothing disposes it.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_reservation_that_its_thread_left_open_is_withdrawn_when_that_closes_the_log(bool isAsync)
    {
        using TempFolder folder = new();
        await Task.Factory.StartNew(Use, TaskCreationOptions.LongRunning).WaitAsync(TimeSpan.FromMinutes(1));
        Records.ReadAll(folder.Log).Select(static r => r.Sequence).ShouldBe([1L]);

        void Use()
        {
            SluiceLog log = SluiceLog.Open(folder.Log);
            log.Append(Records.Make(0, 0, 40), LogDurability.Buffered);
            LogReservation left = log.Reserve(40);
            left.Span.Fill(1);
            if (isAsync)
            {
                log.DisposeAsync().AsTask().GetAwaiter().GetResult();
            }
            else
            {
                log.Dispose();
            }

            left.Dispose();
            left.Span.IsEmpty.ShouldBeTrue();
            OpenReservation.In(log).ShouldBeNull();
        }
    }
}
