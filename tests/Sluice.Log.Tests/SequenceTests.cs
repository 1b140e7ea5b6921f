using System.Buffers;

namespace Sluice.Log.Tests;

/// <summary>Records that are in several pieces of memory, and memory that fails.</summary>
public sealed class SequenceTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public async Task The_pieces_are_one_record(LogFormat format)
    {
        using TempFolder folder = new();
        byte[] all = Records.Make(0, 7, 300);
        byte[] none = [];
        ReadOnlySequence<byte>[] records =
        [
            new(all),
            Piece.Join(all.AsMemory(..1), all.AsMemory(1..100), none, all.AsMemory(100..)),
            Piece.Join(none, all, none),
            Piece.Join(all.AsMemory(..299), all.AsMemory(299..)).Slice(0, 299),
            Piece.Join(none, none),
            ReadOnlySequence<byte>.Empty,
        ];
        using (SluiceLog log = folder.Open(new SluiceLogOptions { Format = format }))
        {
            long sequence = 0;
            foreach (ReadOnlySequence<byte> record in records)
            {
                log.Append(record).ShouldBe(++sequence);
                log.Append(record, LogDurability.Durable).ShouldBe(++sequence);
                log.DurableSequence.ShouldBe(sequence);
                (await log.AppendAsync(record)).ShouldBe(++sequence);
                (await log.AppendAsync(record, LogDurability.Buffered)).ShouldBe(++sequence);
            }
        }

        byte[][] expected = [.. records.SelectMany(static r => Enumerable.Repeat(r.ToArray(), 4))];
        if (format == LogFormat.Framed)
        {
            folder.ReadAll().Select(static r => r.Bytes).ShouldBe(expected);
        }
        else
        {
            File.ReadAllBytes(folder.PathOf("0000000001.log")).ShouldBe([.. expected.SelectMany(static r => r)]);
        }
    }

    [Fact]
    public async Task A_record_that_is_too_long_or_canceled_is_not_appended()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { MaxRecordBytes = 100 });
        ReadOnlySequence<byte> tooLong = Piece.Join(new byte[60], new byte[41]);
        Should.Throw<ArgumentException>(() => log.Append(tooLong)).ParamName.ShouldBe("record");
        (await Should.ThrowAsync<ArgumentException>(async () => await log.AppendAsync(tooLong))).ParamName.ShouldBe("record");
        ReadOnlySequence<byte> longest = Piece.Join(new byte[60], new byte[40]);
        await Should.ThrowAsync<OperationCanceledException>(async () => await log.AppendAsync(longest, new CancellationToken(true)));
        log.Append(longest).ShouldBe(1);
        log.NextSequence.ShouldBe(2);
    }

    /// <summary>An append waits until a page is written.</summary>
    [Fact]
    public async Task A_record_that_waits_for_space_is_appended()
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(new SluiceLogOptions { MaxRecordBytes = 2000, BufferBytes = 4000 }))
        {
            Task<long>[] appended = [.. Enumerable.Range(0, 200).Select(i =>
            {
                byte[] record = Records.Make(0, i, 1000);
                return log.AppendAsync(Piece.Join(record.AsMemory(..500), record.AsMemory(500..)), LogDurability.Buffered).AsTask();
            })];
            await Task.WhenAll(appended).WaitAsync(Patience);
        }

        folder.Numbers().Order().ShouldBe(Enumerable.Range(0, 200));
    }

    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public async Task Memory_that_throws_when_it_is_asked_holds_nobody_up(LogFormat format)
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(new SluiceLogOptions { Format = format }))
        {
            using ThrowingMemory memory = new();
            ReadOnlySequence<byte> record = Piece.Join(new byte[30], memory.Lent);
            await Should.ThrowAsync<ObjectDisposedException>(async () => await log.AppendAsync(memory.Lent));
            await Should.ThrowAsync<ObjectDisposedException>(async () => await log.AppendAsync(record));
            Should.Throw<ObjectDisposedException>(() => log.Append(record));
            Should.Throw<ObjectDisposedException>(() => log.AppendBatch([new byte[20], memory.Lent]));
            await Should.ThrowAsync<ObjectDisposedException>(
                async () => await log.AppendBatchAsync(new ReadOnlyMemory<byte>[] { new byte[20], memory.Lent }));
            await log.AppendAsync(Records.Make(0, 0, 50), LogDurability.Durable).AsTask().WaitAsync(Patience);
        }

        if (format == LogFormat.Framed)
        {
            folder.ReadAll().Select(static r => Records.Check(r.Bytes)).ShouldBe([(0, 0)]);
        }
        else
        {
            File.ReadAllBytes(folder.PathOf("0000000001.log")).ShouldBe(Records.Make(0, 0, 50));
        }
    }

    private sealed class Piece : ReadOnlySequenceSegment<byte>
    {
        public static ReadOnlySequence<byte> Join(params ReadOnlyMemory<byte>[] parts)
        {
            Piece first = new() { Memory = parts[0] };
            Piece last = first;
            foreach (ReadOnlyMemory<byte> part in parts[1..])
            {
                Piece next = new() { Memory = part, RunningIndex = last.RunningIndex + last.Memory.Length };
                last.Next = next;
                last = next;
            }

            return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
        }
    }

    private sealed class ThrowingMemory : MemoryManager<byte>
    {
        public ReadOnlyMemory<byte> Lent => CreateMemory(100);

        public override Span<byte> GetSpan() => throw new ObjectDisposedException(nameof(ThrowingMemory));

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
