// A storage device in the manner of FASTER's IDevice: segments of a log in files of their own, native memory in and out, a callback when
// a transfer has ended. The interface is restated here, so that the sample needs no package.
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
    // Opened one at a time, when first needed; one that could not be opened is tried again.
    private readonly Dictionary<int, SluiceHandle> _segments = [];

    // A block of any disk; what is no multiple of the disk's own would be right too, and slower.
    public uint SectorSize => 4096;

    public void WriteAsync(nint source, int segment, ulong offset, uint bytes, Action<uint, uint, object?> callback, object? context) =>
        _ = WriteAndTellAsync(source, segment, offset, bytes, callback, context);

    public void ReadAsync(int segment, ulong offset, nint destination, uint bytes, Action<uint, uint, object?> callback, object? context) =>
        _ = ReadAndTellAsync(segment, offset, destination, bytes, callback, context);

    public void RemoveSegment(int segment)
    {
        lock (_segments)
        {
            if (_segments.Remove(segment, out SluiceHandle? handle))
            {
                handle.Dispose();
            }

            File.Delete(PathOf(segment));
        }
    }

    public void Dispose()
    {
        lock (_segments)
        {
            foreach (SluiceHandle handle in _segments.Values)
            {
                handle.Dispose();
            }

            _segments.Clear();
        }
    }

    // The callback gets an error number, 0 for none, and how many bytes were transferred. A segment that cannot be opened is an error of
    // the transfer, as any other: the store waits for its callback.
    private async Task WriteAndTellAsync(
        nint source, int segment, ulong offset, uint bytes, Action<uint, uint, object?> callback, object? context)
    {
        uint error = 0;
        try
        {
            await Segment(segment).WriteAsync(source, bytes, (long)offset).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            error = (uint)e.HResult;
        }

        callback(error, error == 0 ? bytes : 0, context);
    }

    private async Task ReadAndTellAsync(
        int segment, ulong offset, nint destination, uint bytes, Action<uint, uint, object?> callback, object? context)
    {
        uint error = 0;
        uint done = 0;
        try
        {
            done = (uint)await Segment(segment).ReadAsync(destination, bytes, (long)offset).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            error = (uint)e.HResult;
        }

        callback(error, done, context);
    }

    private string PathOf(int segment) => $"{path}.{segment}";

    private SluiceHandle Segment(int segment)
    {
        lock (_segments)
        {
            if (!_segments.TryGetValue(segment, out SluiceHandle? handle))
            {
                handle = SluiceHandle.Open(
                    PathOf(segment),
                    new SluiceOptions { Mode = FileMode.OpenOrCreate, Access = FileAccess.ReadWrite, Caching = FileCaching.Direct });
                _segments.Add(segment, handle);
            }

            return handle;
        }
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
