using Sluice.Memory;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Tests which thread transfers. An asynchronous call transfers at most one piece before it returns, however large it is.</summary>
public sealed class CallersThreadTests : HostileTests
{
    private const int Length = 6 * OpenFile.MaxInlineBytes;

    private readonly byte[] _content = Bytes.Pattern(Length);
    private int _caller;
    private long _carried;

    [LinuxTheory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Uncached)]
    public async Task A_handle_carries_one_piece_at_most(FileCaching caching)
    {
        await using SluiceHandle handle = SluiceHandle.Open(
            Temp.NewFile(_content), new SluiceOptions { Access = FileAccess.ReadWrite, Caching = caching });
        byte[] read = new byte[Length];

        // After so many reads that found their pages, it does not ask any more.
        for (int i = 0; i < 100; i++)
        {
            await handle.ReadAsync(read.AsMemory(0, 100), i);
        }

        await CarriesAsync("reading", async () => (await handle.ReadAsync(read, 0)).ShouldBe(Length));
        read.ShouldBeBytes(_content);
        await CarriesAsync("writing", () => handle.WriteAsync(_content, 0).AsTask());
        using CancellationTokenSource source = new();
        await CarriesAsync("writing with a token", () => handle.WriteAsync(_content, 0, source.Token).AsTask());
        Memory<byte>[] reads = [read.AsMemory(0, Length / 2), read.AsMemory(Length / 2)];
        await CarriesAsync("scattering", async () => (await handle.ReadAsync(reads, 0)).ShouldBe(Length));
        ReadOnlyMemory<byte>[] writes = [_content.AsMemory(0, Length / 2), _content.AsMemory(Length / 2)];
        await CarriesAsync("gathering", () => handle.WriteAsync(writes, 0).AsTask());
    }

    [LinuxTheory]
    [InlineData(SluiceOptions.Adaptive)]
    [InlineData(0)]
    [InlineData(4096)]
    public async Task A_stream_carries_one_piece_at_most(int bufferSize)
    {
        string path = Temp.NewFile(_content);
        await using SluiceStream stream = new(path, new SluiceOptions { Access = FileAccess.ReadWrite, BufferSize = bufferSize });
        byte[] read = new byte[Length];
        await CarriesAsync("reading", () => stream.ReadExactlyAsync(read).AsTask());
        read.ShouldBeBytes(_content);
        stream.Position = 0;
        await CarriesAsync("writing", () => stream.WriteAsync(_content).AsTask());
        stream.Position = 0;
        using CancellationTokenSource source = new();
        await CarriesAsync("writing with a token", () => stream.WriteAsync(_content, source.Token).AsTask());
        await stream.FlushAsync();
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes(_content);
    }

    /// <summary>Pool threads that waited for an asynchronous write of the same file would be missing when it needs one.</summary>
    [LinuxFact]
    public void A_batch_of_direct_writes_needs_no_pool_thread_without_a_ring()
    {
        const int block = 4096;
        const int blocks = 8;
        using SluiceHandle handle = SluiceHandle.Open(Temp.NewFile(new byte[blocks * block]), new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Caching = FileCaching.Direct,
            Engine = SluiceEngines.Pool,
        });
        Skip.If(handle.Caching != FileCaching.Direct, handle.CachingReason);

        // Unaligned writes of other threads are made by the thread that leaves the gate before them.
        MemoryLease lease = AlignedBufferPool.Rent(blocks * block);
        Memory<byte> bytes = lease.Memory[..(blocks * block)];
        _content.AsMemory(0, bytes.Length).CopyTo(bytes);
        WriteRequest[] requests = [.. Enumerable.Range(0, blocks).Select(i => new WriteRequest(i * block, bytes.Slice(i * block, block)))];
        int caller = Environment.CurrentManagedThreadId;
        int written = 0;
        int elsewhere = 0;
        using ManualResetEventSlim poolWasHere = new();
        SystemCallFaults.Use((name, _, _) =>
        {
            if (name.StartsWith("pwrite", StringComparison.Ordinal))
            {
                if (Environment.CurrentManagedThreadId != caller)
                {
                    Interlocked.Increment(ref elsewhere);
                }
                else if (written++ == 0)
                {
                    // Helpers, if there were any, were queued before this work item.
                    ThreadPool.UnsafeQueueUserWorkItem(_ => poolWasHere.Set(), null);
                    poolWasHere.Wait(Watchdog.Patience).ShouldBeTrue();
                    SpinWait.SpinUntil(() => Volatile.Read(ref elsewhere) > 0, 100);
                }
            }

            return 0;
        });
        handle.WriteBatch(requests);
        SystemCallFaults.Use(null);
        elsewhere.ShouldBe(0);
        written.ShouldBeGreaterThanOrEqualTo(requests.Length);
        byte[] read = new byte[blocks * block];
        handle.Read(read, 0).ShouldBe(read.Length);
        read.ShouldBeBytes(_content.AsSpan(0, read.Length).ToArray());
        lease.Return();
    }

    private async Task CarriesAsync(string what, Func<Task> call)
    {
        _carried = 0;
        Volatile.Write(ref _caller, Environment.CurrentManagedThreadId);
        SystemCallFaults.Use((name, _, length) =>
        {
            if (Environment.CurrentManagedThreadId == Volatile.Read(ref _caller)
                && (name.StartsWith("pread", StringComparison.Ordinal) || name.StartsWith("pwrite", StringComparison.Ordinal)))
            {
                _carried += length;
            }

            return 0;
        });
        Task task = call();

        // From here on this thread may be anybody's.
        Volatile.Write(ref _caller, 0);
        SystemCallFaults.Use(null);
        await task;
        _carried.ShouldBeLessThanOrEqualTo(OpenFile.MaxInlineBytes, what);
    }
}
