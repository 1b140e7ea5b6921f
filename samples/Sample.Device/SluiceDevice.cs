using FASTER.core;

namespace Sample.Device;

/// <summary>
/// A storage device of FASTER, each of whose segments is a file. A write is durable when its callback is called, since FASTER acknowledges
/// commits and checkpoints then.
/// </summary>
/// <remarks>
/// Direct I/O pays for logs and checkpoints, and for stores much larger than memory. For random reads of data that would stay in the page
/// cache it is slower than a cached device: pass <see cref="FileCaching.Cached"/>.
/// </remarks>
/// <param name="path">The path of the files, which end in ".0", ".1" and so on.</param>
/// <param name="caching">How the files are read and written.</param>
internal sealed class SluiceDevice(string path, FileCaching caching = FileCaching.Direct)
    : StorageDeviceBase(path, sectorSize: 4096, capacity: Devices.CAPACITY_UNSPECIFIED)
{
    // A segment is opened when it is needed; if that fails, the next transfer tries again.
    private readonly Dictionary<int, SluiceHandle> _segments = [];
    private int _pending;

    public override bool Throttle() => Volatile.Read(ref _pending) > ThrottleLimit;

    public override void WriteAsync(
        nint sourceAddress, int segmentId, ulong destinationAddress, uint numBytesToWrite, DeviceIOCompletionCallback callback, object context)
    {
        HandleCapacity(segmentId);
        _ = TransferAsync(
            async () =>
            {
                await Segment(segmentId).WriteAsync(sourceAddress, numBytesToWrite, (long)destinationAddress).ConfigureAwait(false);
                return numBytesToWrite;
            },
            callback, context);
    }

    public override void ReadAsync(
        int segmentId, ulong sourceAddress, nint destinationAddress, uint readLength, DeviceIOCompletionCallback callback, object context) =>
        _ = TransferAsync(
            async () => (uint)await Segment(segmentId).ReadAsync(destinationAddress, readLength, (long)sourceAddress).ConfigureAwait(false),
            callback, context);

    public override void RemoveSegmentAsync(int segment, AsyncCallback callback, IAsyncResult result)
    {
        lock (_segments)
        {
            if (_segments.Remove(segment, out SluiceHandle? handle))
            {
                handle.Dispose();
            }

            File.Delete(PathOf(segment));
        }

        callback(result);
    }

    public override long GetFileSize(int segment) => Segment(segment).Length;

    public override void Reset()
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

    public override void Dispose() => Reset();

    /// <summary>Runs a transfer and calls back with an error code, 0 for success, and the number of bytes.</summary>
    private async Task TransferAsync(Func<Task<uint>> transfer, DeviceIOCompletionCallback callback, object context)
    {
        _ = Interlocked.Increment(ref _pending);
        uint error = 0;
        uint bytes = 0;
        try
        {
            bytes = await transfer().ConfigureAwait(false);
        }
        catch (Exception e)
        {
            // FASTER waits for the callback: a segment that cannot be opened is an error of the transfer, too.
            error = (uint)e.HResult;
        }

        _ = Interlocked.Decrement(ref _pending);
        callback(error, bytes, context);
    }

    private string PathOf(int segment) => GetSegmentFilename(FileName, segment);

    private SluiceHandle Segment(int segment)
    {
        lock (_segments)
        {
            if (!_segments.TryGetValue(segment, out SluiceHandle? handle))
            {
                string file = PathOf(segment);
                _ = Directory.CreateDirectory(Path.GetDirectoryName(file)!);
                handle = SluiceHandle.Open(file, new SluiceOptions
                {
                    Mode = FileMode.OpenOrCreate,
                    Access = FileAccess.ReadWrite,
                    Share = FileShare.ReadWrite | FileShare.Delete,
                    Options = FileOptions.WriteThrough,
                    Caching = caching,
                });
                _segments.Add(segment, handle);
            }

            return handle;
        }
    }
}
