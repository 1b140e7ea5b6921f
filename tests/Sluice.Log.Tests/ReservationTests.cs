namespace Sluice.Log.Tests;

/// <summary>A record that its caller writes to a buffer of the log's.</summary>
public sealed class ReservationTests
{
    /// <summary>An argument is a copy, and so is what a method is called on that has it by <c>in</c>.</summary>
    [Fact]
    public async Task A_reservation_ends_once_whatever_copy_of_it_ends_it()
    {
        using TempFolder folder = new();
        SluiceLog log = folder.Open();
        int lengthBehindEnd = -1;
        int lengthOfNext = -1;
        bool threw = false;
        Use();
        await Task.Run(log.Dispose).WaitAsync(TimeSpan.FromMinutes(1));
        folder.ReadAll().Select(static r => (r.Sequence, Records.Check(r.Bytes).Number)).ShouldBe([(1, 1), (2, 2), (3, 4)]);
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

    /// <summary>The shared pool's memory, which had other bytes before, is no record of its own.</summary>
    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void What_a_reservation_does_not_fill_is_zeros_in_the_file(LogFormat format)
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.With(format));
        for (int i = 0; i < 10; i++)
        {
            using (LogReservation discarded = log.Reserve(700))
            {
                discarded.Span.ContainsAnyExcept((byte)0).ShouldBeFalse();
                discarded.Span.Fill(0xAA);
            }

            using LogReservation partlyFilled = log.Reserve(700);
            partlyFilled.Span.ContainsAnyExcept((byte)0).ShouldBeFalse();
            partlyFilled.Span[0] = 1;
            partlyFilled.Commit(LogDurability.Written).ShouldBe(i + 1);
        }
    }

    /// <summary>Neither other records nor the log itself wait for a reservation, which its own thread may keep open during any call.</summary>
    [Fact]
    public void An_open_reservation_holds_up_nothing()
    {
        using TempFolder folder = new();
        SluiceLog log = folder.Open();
        LogReservation open = log.Reserve(40);
        log.Append(Records.Make(0, 1, 50), LogDurability.Written).ShouldBe(1);
        log.Append(Records.Make(0, 2, 50), LogDurability.Durable).ShouldBe(2);
        log.Flush();
        log.TruncateAfter(1);
        Records.Fill(open.Span, 0, 3);
        open.Commit(LogDurability.Durable).ShouldBe(2);
        LogReservation late = log.Reserve(40);
        log.Dispose();
        Exception? error = null;
        try
        {
            _ = late.Commit();
        }
        catch (ObjectDisposedException e)
        {
            error = e;
        }

        error.ShouldNotBeNull();
        folder.Numbers().ShouldBe([1, 3]);
    }
}
