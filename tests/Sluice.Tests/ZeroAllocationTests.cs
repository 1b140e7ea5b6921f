namespace Sluice.Tests;

/// <summary>
/// Completed asynchronous transfers allocate nothing. Measured over the whole process, since completions run on other threads; whatever
/// is allocated once for an operation would be at least 24 bytes for each.
/// </summary>
[Trait("Tier", "slow")]
[Collection(AloneCollection.Name)]
public sealed class ZeroAllocationTests : IDisposable
{
    private const int Operations = 4_000;
    private const int Block = 4096;
    private const int Blocks = 256;

    private readonly TempFolder _temp = new();
    private readonly ValueTask<int>[] _reads = new ValueTask<int>[128];
    private readonly ValueTask[] _writes = new ValueTask[128];
    private readonly Memory<byte>[] _buffers = [.. Enumerable.Range(0, 128).Select(_ => Bytes.Pinned(Block))];

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(FileCaching.Cached, 1, false)]
    [InlineData(FileCaching.Cached, 1, true)]
    [InlineData(FileCaching.Cached, 128, false)]
    [InlineData(FileCaching.Cached, 128, true)]
    [InlineData(FileCaching.Direct, 1, false)]
    [InlineData(FileCaching.Direct, 1, true)]
    [InlineData(FileCaching.Direct, 128, false)]
    [InlineData(FileCaching.Direct, 128, true)]
    public async Task Reads_allocate_nothing(FileCaching caching, int depth, bool plugged)
    {
        // Plugged in, an engine carries cached reads too, which otherwise complete inline.
        await using SluiceHandle handle = Open(caching, plugged);
        await Allocations.ShouldBeNoneAsync(Operations, () => ReadManyAsync(handle, depth, 0));
    }

    [Fact]
    public async Task Unaligned_direct_reads_allocate_nothing()
    {
        await using SluiceHandle handle = Open(FileCaching.Direct, plugged: false);
        await Allocations.ShouldBeNoneAsync(Operations, () => ReadManyAsync(handle, 16, 7));
    }

    [Theory]
    [InlineData(FileCaching.Cached, 1, false)]
    [InlineData(FileCaching.Cached, 32, true)]
    [InlineData(FileCaching.Direct, 1, false)]
    [InlineData(FileCaching.Direct, 32, false)]
    public async Task Writes_allocate_nothing(FileCaching caching, int depth, bool plugged)
    {
        await using SluiceHandle handle = Open(caching, plugged);
        await Allocations.ShouldBeNoneAsync(Operations, () => WriteManyAsync(handle, depth));
    }

    [Theory]
    [InlineData(FileCaching.Cached, false)]
    [InlineData(FileCaching.Cached, true)]
    [InlineData(FileCaching.Direct, false)]
    public async Task Scattered_reads_allocate_nothing(FileCaching caching, bool plugged)
    {
        await using SluiceHandle handle = Open(caching, plugged);
        Memory<byte>[] segments = [_buffers[0], _buffers[1], _buffers[2]];
        await Allocations.ShouldBeNoneAsync(Operations, () => ScatterManyAsync(handle, segments));
    }

    /// <summary>More segments than one call on the caller's thread takes; direct, they go through a buffer.</summary>
    [Theory]
    [InlineData(FileCaching.Cached, 0)]
    [InlineData(FileCaching.Direct, 0)]
    [InlineData(FileCaching.Direct, 7)]
    public async Task Transfers_of_many_segments_allocate_nothing(FileCaching caching, int skew)
    {
        await using SluiceHandle handle = Open(caching, plugged: false);
        Memory<byte>[] reads = [.. _buffers.Take(40).Select(b => b.Slice(skew, 512))];
        ReadOnlyMemory<byte>[] writes = [.. reads.Select(static m => (ReadOnlyMemory<byte>)m)];
        await Allocations.ShouldBeNoneAsync(Operations, () => TransferManyAsync(handle, reads, writes, skew));
    }

    [Fact]
    public async Task Reads_with_a_token_that_can_be_cancelled_allocate_nothing()
    {
        await using SluiceHandle handle = Open(FileCaching.Direct, plugged: false);
        using CancellationTokenSource source = new();
        await Allocations.ShouldBeNoneAsync(Operations, () => ReadCancellableAsync(handle, source.Token));
    }

    private SluiceHandle Open(FileCaching caching, bool plugged) => SluiceHandle.Open(
        _temp.NewFile(Block * (Blocks + 1)),
        new SluiceOptions { Access = FileAccess.ReadWrite, Caching = caching, Engine = plugged ? SluiceEngines.Default : null });

    private async Task ReadManyAsync(SluiceHandle handle, int depth, int skew)
    {
        for (int i = 0; i < Operations; i += depth)
        {
            for (int n = 0; n < depth; n++)
            {
                _reads[n] = handle.ReadAsync(_buffers[n], (((i * 7) + n) % Blocks * Block) + skew);
            }

            for (int n = 0; n < depth; n++)
            {
                if (await _reads[n] != Block)
                {
                    throw new InvalidOperationException("short");
                }
            }
        }
    }

    private async Task WriteManyAsync(SluiceHandle handle, int depth)
    {
        for (int i = 0; i < Operations; i += depth)
        {
            for (int n = 0; n < depth; n++)
            {
                _writes[n] = handle.WriteAsync(_buffers[n], ((i * 7) + n) % Blocks * Block);
            }

            for (int n = 0; n < depth; n++)
            {
                await _writes[n];
            }
        }
    }

    private static async Task ScatterManyAsync(SluiceHandle handle, Memory<byte>[] segments)
    {
        for (int i = 0; i < Operations; i++)
        {
            if (await handle.ReadAsync(segments, i % (Blocks - 3) * Block) != 3 * Block)
            {
                throw new InvalidOperationException("short");
            }
        }
    }

    private static async Task TransferManyAsync(SluiceHandle handle, Memory<byte>[] reads, ReadOnlyMemory<byte>[] writes, int skew)
    {
        int length = reads.Sum(static m => m.Length);
        for (int i = 0; i < Operations / 8; i++)
        {
            long offset = (i % (Blocks - 8) * Block) + skew;
            if (await handle.ReadAsync(reads, offset) != length || handle.Read(reads, offset) != length)
            {
                throw new InvalidOperationException("short");
            }

            await handle.WriteAsync(writes, offset);
            handle.Write(writes, offset);
        }
    }

    private async Task ReadCancellableAsync(SluiceHandle handle, CancellationToken token)
    {
        for (int i = 0; i < Operations; i++)
        {
            await handle.ReadAsync(_buffers[0], i % Blocks * Block, token);
        }
    }
}
