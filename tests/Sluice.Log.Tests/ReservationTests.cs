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
}
