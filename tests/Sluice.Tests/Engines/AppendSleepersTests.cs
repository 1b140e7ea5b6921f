using System.Diagnostics;
using Sluice.Handles;

namespace Sluice.Tests.Engines;

/// <summary>Who sleeps in an append is served one by one, unless calls are long; and nobody sleeps for ever.</summary>
[Trait("Tier", "slow")]
public sealed class AppendSleepersTests
{
    [Fact]
    public void Where_calls_are_short_one_is_woken_at_a_time_and_the_oldest_first()
    {
        AppendSleepers sleepers = WithShortCalls();
        AppendRequest[] asleep = [Request(parks: true), Request(parks: true), Request(parks: true)];
        AppendRequest awake = Request(parks: false);

        Chain(sleepers.Choose(Stack(asleep[0], awake, asleep[1]))).ShouldBe([asleep[0], awake]);
        sleepers.IsDue.ShouldBeFalse();
        Chain(sleepers.Choose(Stack(asleep[2]))).ShouldBeEmpty();
        sleepers.NoteAwake();
        sleepers.IsDue.ShouldBeTrue();
        Chain(sleepers.Choose(null)).ShouldBe([asleep[1]]);
        sleepers.NoteAwake();
        Chain(sleepers.Choose(Stack(awake))).ShouldBe([asleep[2], awake]);
        sleepers.NoteAwake();
        sleepers.IsDue.ShouldBeFalse();
        sleepers.Choose(null).ShouldBeNull();
    }

    [Fact]
    public void Where_calls_are_long_all_share_one()
    {
        AppendSleepers sleepers = WithShortCalls();
        AppendRequest[] asleep = [Request(parks: true), Request(parks: true), Request(parks: true)];
        AppendRequest awake = Request(parks: false);
        Chain(sleepers.Choose(Stack(asleep[0], asleep[1], asleep[2]))).ShouldBe([asleep[0]]);
        long second = Stopwatch.Frequency;
        sleepers.End(sleepers.Begin() - second, count: 1);

        // Whoever leads may have lost its processor once.
        Chain(sleepers.Choose(null)).ShouldBeEmpty();
        sleepers.End(sleepers.Begin() - second, count: 1);
        Chain(sleepers.Choose(Stack(awake))).ShouldBe([asleep[1], asleep[2], awake]);
        sleepers.IsDue.ShouldBeFalse();
    }

    /// <summary>A call for many is longer than one for few, and nobody's append is.</summary>
    [Fact]
    public void A_call_for_many_is_not_long()
    {
        AppendSleepers sleepers = WithShortCalls();
        AppendRequest[] asleep = [Request(parks: true), Request(parks: true), Request(parks: true)];
        Chain(sleepers.Choose(Stack(asleep))).ShouldBe([asleep[0]]);
        for (int i = 0; i < 3; i++)
        {
            sleepers.End(sleepers.Begin() - Stopwatch.Frequency, count: 1_000_000_000);
        }

        sleepers.NoteAwake();
        Chain(sleepers.Choose(null)).ShouldBe([asleep[1]]);
    }

    [Fact]
    public void What_was_never_measured_is_taken_for_long()
    {
        AppendRequest[] asleep = [Request(parks: true), Request(parks: true)];
        Chain(new AppendSleepers().Choose(Stack(asleep))).ShouldBe(asleep);
    }

    /// <summary>More threads than processors, which come and go: whoever leaves last has woken all who slept.</summary>
    [SkippableTheory]
    [InlineData(3)]
    [InlineData(48)]
    public async Task Nobody_sleeps_for_ever(int threads)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "appends are combined on Linux");
        const int rounds = 20;
        const int records = 100;
        const int length = 24;
        using TempFolder folder = new();
        using SluiceHandle handle = SluiceHandle.Open(folder.NewPath(), FileMode.CreateNew, FileAccess.ReadWrite);
        for (int round = 0; round < rounds; round++)
        {
            using Barrier begin = new(threads);
            Task<long[]>[] writers = [.. Enumerable.Range(0, threads).Select(writer => Task.Factory.StartNew(
                () =>
                {
                    begin.SignalAndWait();
                    return Enumerable.Range(0, records)
                        .Select(record => handle.Append(Record(writer, record, length)))
                        .ToArray();
                },
                TaskCreationOptions.LongRunning))];
            long[][] landed = await Task.WhenAll(writers).WaitAsync(TimeSpan.FromMinutes(2));
            handle.Length.ShouldBe((long)threads * records * length * (round + 1));
            byte[] read = new byte[length];
            for (int writer = 0; writer < threads; writer++)
            {
                for (int record = 0; record < records; record++)
                {
                    handle.Read(read, landed[writer][record]).ShouldBe(length);
                    read.ShouldBe(Record(writer, record, length));
                }
            }
        }
    }

    private static byte[] Record(int writer, int record, int length)
    {
        byte[] bytes = new byte[length];
        Array.Fill(bytes, (byte)(1 + writer));
        bytes[0] = (byte)record;
        return bytes;
    }

    private static AppendSleepers WithShortCalls()
    {
        AppendSleepers sleepers = new();
        Chain(sleepers.Choose(Stack(Request(parks: true)))).Count.ShouldBe(1);
        sleepers.End(long.MaxValue, count: 1);
        return sleepers;
    }

    private static AppendRequest Request(bool parks)
    {
        AppendRequest request = new();
        request.Begin(address: 0, length: 1, isHeld: true);
        if (parks)
        {
            request.TryPark().ShouldBeTrue();
        }

        return request;
    }

    /// <summary>As they are pushed: the newest first.</summary>
    private static AppendRequest Stack(params AppendRequest[] oldestFirst)
    {
        AppendRequest? head = null;
        foreach (AppendRequest request in oldestFirst)
        {
            request.Next = head;
            head = request;
        }

        return head!;
    }

    private static List<AppendRequest> Chain(AppendRequest? first)
    {
        List<AppendRequest> all = [];
        for (AppendRequest? request = first; request is not null; request = request.Next)
        {
            all.Add(request);
        }

        return all;
    }
}
