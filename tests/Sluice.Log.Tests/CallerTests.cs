using System.Buffers;
using System.Collections.Concurrent;

namespace Sluice.Log.Tests;

/// <summary>What a caller's own code and threads may do in the middle of an append.</summary>
public sealed class CallerTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public async Task Memory_that_throws_when_it_is_asked_holds_nobody_up(LogFormat format)
    {
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Format = format }))
        {
            using ThrowingMemory memory = new();
            await Should.ThrowAsync<ObjectDisposedException>(async () => await log.AppendAsync(memory.Lent));
            Should.Throw<ObjectDisposedException>(() => log.AppendBatch([new byte[20], memory.Lent]));
            await Should.ThrowAsync<ObjectDisposedException>(
                async () => await log.AppendBatchAsync(new ReadOnlyMemory<byte>[] { new byte[20], memory.Lent }));
            await log.AppendAsync(Records.Make(0, 0, 50), LogDurability.Durable).AsTask().WaitAsync(Patience);
        }

        if (format == LogFormat.Framed)
        {
            Records.ReadAll(folder.Log).Select(static r => Records.Check(r.Bytes)).ShouldBe([(0, 0)]);
        }
        else
        {
            File.ReadAllBytes(Path.Combine(folder.Log, "0000000001.log")).ShouldBe(Records.Make(0, 0, 50));
        }
    }

    [Fact]
    public void Memory_that_answers_with_more_bytes_when_it_is_asked_again_harms_nobody()
    {
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log))
        {
            using GrowingMemory memory = new();
            try
            {
                log.AppendBatch([memory.Lent, new byte[20]]);
            }
            catch (ArgumentException)
            {
                // That it changed may be told.
            }

            log.Append(Records.Make(0, 0, 50), LogDurability.Durable);
        }

        Records.Check(Records.ReadAll(folder.Log)[^1].Bytes).ShouldBe((0, 0));
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

    /// <summary>A hundred bytes that are more, or fewer, each time that somebody asks.</summary>
    private sealed class GrowingMemory : MemoryManager<byte>
    {
        private int _asked;

        public ReadOnlyMemory<byte> Lent => CreateMemory(0, 100);

        public override Span<byte> GetSpan() => new byte[100 + (1000 * _asked++)];

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException();

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing)
        {
        }
    }
}
