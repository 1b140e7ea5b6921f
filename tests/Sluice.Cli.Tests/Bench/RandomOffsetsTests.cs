using System.Collections.Concurrent;
using Microsoft.Win32.SafeHandles;
using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Handles;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

public sealed class RandomOffsetsTests
{
    private const int LoopCount = 4;
    private const int RequestBytes = 512;

    private static readonly Dictionary<string, Func<IoTarget, Slice, RandomOffsets, Task>> Ways = new()
    {
        ["read"] = static (target, slice, offsets) => Loops.Read(target, 1, RequestBytes, offsets)(slice),
        ["write"] = static (target, slice, offsets) => Loops.Write(target, 1, RequestBytes, offsets)(slice),
        ["read many"] = static (target, slice, offsets) => Loops.Read(target, LoopCount, RequestBytes, offsets)(slice),
        ["write many"] = static (target, slice, offsets) => Loops.Write(target, LoopCount, RequestBytes, offsets)(slice),
        ["neighbour"] = static (target, slice, offsets) =>
            NeighbourRows.NeighbourAsync(target, slice, offsets, computeUs: 1, quantile: 0.5),
        ["working"] = static (target, slice, offsets) =>
            NeighbourRows.WorkAsync(target, slice, 1, Loops.Buffers(1, RequestBytes)[0], offsets, computeUs: 1),
    };

    public static TheoryData<string> Names => [.. Ways.Keys];

    /// <summary>Else a disk's cache, or its host's, answers a side with what was read a turn ago, and not fio.</summary>
    [Theory]
    [MemberData(nameof(Names))]
    public async Task No_turn_of_either_side_reads_what_one_before_it_has_read(string way)
    {
        var offsets = new RandomOffsets([.. Enumerable.Range(0, 1 << 18).Select(i => (long)i)], LoopCount);
        using var sluice = new NotingTarget();
        using var dotNet = new NotingTarget();
        var noted = new List<long>();
        foreach (NotingTarget target in (NotingTarget[])[sluice, dotNet, dotNet, sluice])
        {
            var slice = new Slice(TimeSpan.Zero, LoopCount, CancellationToken.None);
            slice.Start();
            await Ways[way](target, slice, offsets);
            noted.AddRange(target.Offsets);
            target.Offsets.Clear();
        }
        noted.Count.ShouldBeGreaterThanOrEqualTo(4);
        noted.ShouldBeUnique();
    }

    [Fact]
    public void A_loop_goes_on_where_it_ended_and_at_the_end_from_the_start()
    {
        var offsets = new RandomOffsets([10, 11, 12, 13], loops: 2);
        long[] second = [.. Enumerable.Range(0, 5).Select(_ => offsets.Next(1))];
        second.ShouldBe([12, 13, 10, 11, 12]);
        offsets.Next(0).ShouldBe(10);
    }

    [Fact]
    public void Offsets_are_of_whole_requests_within_the_file_and_the_same_each_time()
    {
        const long FileBytes = (100 * RequestBytes) + 1;
        var (offsets, again) = (RandomOffsets.Of(FileBytes, RequestBytes), RandomOffsets.Of(FileBytes, RequestBytes));
        long[] first = [.. Enumerable.Range(0, 1000).Select(_ => offsets.Next(0))];
        first.ShouldBe(Enumerable.Range(0, 1000).Select(_ => again.Next(0)));
        first.ShouldAllBe(offset => offset % RequestBytes == 0 && offset >= 0 && offset <= FileBytes - RequestBytes);
        first.Distinct().Count().ShouldBeGreaterThan(50);
    }

    /// <summary>Notes where it is asked to read or write.</summary>
    private sealed class NotingTarget : IoTarget
    {
        public ConcurrentQueue<long> Offsets { get; } = [];

        public override string Side => "noting";

        public override string Engine => "none";

        public override FileCaching Caching => FileCaching.Direct;

        public override string? CachingReason => null;

        public override int RequestAlignmentBytes => 1;

        public override SafeFileHandle SafeFileHandle => throw new NotSupportedException();

        public override int Read(Memory<byte> buffer, long fileOffset)
        {
            Offsets.Enqueue(fileOffset);
            return buffer.Length;
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset) => new(Read(buffer, fileOffset));

        public override void Write(ReadOnlyMemory<byte> buffer, long fileOffset) => Offsets.Enqueue(fileOffset);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset)
        {
            Write(buffer, fileOffset);
            return ValueTask.CompletedTask;
        }

        public override void Flush() => throw new NotSupportedException();

        public override void Dispose()
        {
        }
    }
}
