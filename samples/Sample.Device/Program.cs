// A storage device in the manner of FASTER's IDevice: segments of a log in files of their own, native memory in and out, a callback when
// a transfer has ended. The interface is restated here, so that the sample needs no package.
using System.Buffers;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;

string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-device");
Directory.CreateDirectory(directory);
try
{
    using var device = new SluiceDevice(Path.Combine(directory, "log"));
    return Check.Run(device, segments: 3, pages: 16) ? 0 : 1;
}
finally
{
    Directory.Delete(directory, recursive: true);
}

/// <summary>What a store asks of a device; addresses are of memory that the store keeps until the callback.</summary>
internal interface IStorageDevice : IDisposable
{
    uint SectorSize { get; }

    void WriteAsync(nint source, int segment, ulong offset, uint bytes, Action<uint, uint, object?> callback, object? context);

    void ReadAsync(int segment, ulong offset, nint destination, uint bytes, Action<uint, uint, object?> callback, object? context);

    void RemoveSegment(int segment);
}

/// <summary>Each segment is a file, past the page cache: a store has a cache of its own.</summary>
internal sealed class SluiceDevice(string path) : IStorageDevice
{
    private readonly ConcurrentDictionary<int, Lazy<SluiceHandle>> _segments = new();
    private readonly ConcurrentBag<NativeBlock> _blocks = [];

    public uint SectorSize => 512;

    public void WriteAsync(nint source, int segment, ulong offset, uint bytes, Action<uint, uint, object?> callback, object? context)
    {
        NativeBlock block = Rent(source, bytes);
        _ = FinishAsync(WriteAllAsync(), block, callback, context);

        async ValueTask<int> WriteAllAsync()
        {
            await Segment(segment).WriteAsync(block.Memory, (long)offset).ConfigureAwait(false);
            return (int)bytes;
        }
    }

    public void ReadAsync(int segment, ulong offset, nint destination, uint bytes, Action<uint, uint, object?> callback, object? context)
    {
        NativeBlock block = Rent(destination, bytes);
        _ = FinishAsync(Segment(segment).ReadAsync(block.Memory, (long)offset), block, callback, context);
    }

    public void RemoveSegment(int segment)
    {
        if (_segments.TryRemove(segment, out Lazy<SluiceHandle>? handle))
        {
            handle.Value.Dispose();
            File.Delete(PathOf(segment));
        }
    }

    public void Dispose()
    {
        foreach (Lazy<SluiceHandle> handle in _segments.Values)
        {
            handle.Value.Dispose();
        }
    }

    // The callback gets an error number, 0 for none, and how many bytes were transferred.
    private async Task FinishAsync(ValueTask<int> transfer, NativeBlock block, Action<uint, uint, object?> callback, object? context)
    {
        uint error = 0;
        uint done = 0;
        try
        {
            done = (uint)await transfer.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            // A store knows numbers only: any failure is one of its transfer.
            error = (uint)e.HResult;
        }
        finally
        {
            _blocks.Add(block);
        }

        callback(error, done, context);
    }

    private NativeBlock Rent(nint address, uint bytes)
    {
        if (!_blocks.TryTake(out NativeBlock? block))
        {
            block = new NativeBlock();
        }

        block.Set(address, (int)bytes);
        return block;
    }

    private string PathOf(int segment) => $"{path}.{segment}";

    private SluiceHandle Segment(int segment) => _segments.GetOrAdd(segment, number => new Lazy<SluiceHandle>(() => SluiceHandle.Open(
        PathOf(number),
        new SluiceOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.ReadWrite, Caching = FileCaching.Direct }))).Value;
}

/// <summary>Memory that the store owns, for the time of one transfer; used again for the next.</summary>
internal sealed unsafe class NativeBlock : MemoryManager<byte>
{
    private nint _address;
    private int _length;

    public void Set(nint address, int length) => (_address, _length) = (address, length);

    public override Span<byte> GetSpan() => new((void*)_address, _length);

    public override MemoryHandle Pin(int elementIndex = 0) => new((byte*)_address + elementIndex);

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
    }
}

/// <summary>Writes pages to each segment, all at once, and reads them back.</summary>
internal static unsafe class Check
{
    private const int PageBytes = 64 * 1024;

    public static bool Run(IStorageDevice device, int segments, int pages)
    {
        nuint bytes = (nuint)(segments * pages * PageBytes);
        byte* written = (byte*)NativeMemory.AlignedAlloc(bytes, device.SectorSize);
        byte* read = (byte*)NativeMemory.AlignedAlloc(bytes, device.SectorSize);
        try
        {
            Random.Shared.NextBytes(new Span<byte>(written, (int)bytes));
            using var ended = new CountdownEvent(segments * pages);
            int errors = 0;
            Action<uint, uint, object?> callback = (error, done, _) =>
            {
                Interlocked.Add(ref errors, error != 0 || done != PageBytes ? 1 : 0);
                ended.Signal();
            };
            for (int i = 0; i < segments * pages; i++)
            {
                device.WriteAsync((nint)(written + (i * PageBytes)), i / pages, (ulong)(i % pages * PageBytes), PageBytes, callback, null);
            }

            ended.Wait();
            ended.Reset();
            for (int i = 0; i < segments * pages; i++)
            {
                device.ReadAsync(i / pages, (ulong)(i % pages * PageBytes), (nint)(read + (i * PageBytes)), PageBytes, callback, null);
            }

            ended.Wait();
            bool isSame = new Span<byte>(written, (int)bytes).SequenceEqual(new Span<byte>(read, (int)bytes));
            device.RemoveSegment(0);
            Console.WriteLine($"{segments * pages} pages, {errors} errors, {(isSame ? "the same" : "DIFFERENT")}");
            return errors == 0 && isSame;
        }
        finally
        {
            NativeMemory.AlignedFree(written);
            NativeMemory.AlignedFree(read);
        }
    }
}
