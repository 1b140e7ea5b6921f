using Microsoft.Win32.SafeHandles;

namespace Sluice.AotSmoke;

/// <summary>Every way of reading and writing by <see cref="SluiceHandle"/> on one file, each compared with what System.IO reads.</summary>
internal sealed class SmokeRun(string path, FileCaching caching)
{
    private const int FileBytes = 300_007;
    private const int Depth = 32;

    private readonly byte[] _expected = Pattern(FileBytes, seed: 1);

    /// <summary>What took effect, after the run.</summary>
    public string Summary { get; private set; } = "";

    public async Task RunAsync()
    {
        await using (SluiceHandle handle = Open(FileMode.CreateNew))
        {
            Summary = $"{caching}: took effect {handle.Caching} ({handle.CachingReason ?? "as asked"}), engine {handle.EngineName}";
            await WriteAsync(handle);
            Compare("writes", ReadFile(path), _expected);
            await ReadAsync(handle);
            ReadSynchronously(handle);
            await ScatterAndGatherAsync(handle);
            Batches(handle);
            await ChangeSpaceAsync(handle);
            await CancelAsync(handle);
        }

        await AppendAsync();
        Compare("end of the run", ReadFile(path), _expected);
        FailToOpen();
        await WrapAsync();
    }

    private SluiceHandle Open(FileMode mode) => SluiceHandle.Open(
        path,
        new SluiceOptions { Mode = mode, Access = FileAccess.ReadWrite, Share = FileShare.ReadWrite, Caching = caching });

    /// <summary>One write of a third, the rest by many at once, at offsets that no alignment divides.</summary>
    private async Task WriteAsync(SluiceHandle handle)
    {
        const int first = FileBytes / 3;
        handle.Write(_expected.AsSpan(0, first), 0);
        List<Task> writes = [];
        for (int offset = first; offset < FileBytes; offset += 9973)
        {
            int length = Math.Min(9973, FileBytes - offset);
            writes.Add(handle.WriteAsync(_expected.AsMemory(offset, length), offset).AsTask());
        }

        await Task.WhenAll(writes);
        await handle.FlushDataToDiskAsync();
        handle.FlushToDisk();
        Expect("length", handle.Length, FileBytes);
    }

    private async Task ReadAsync(SluiceHandle handle)
    {
        Task[] readers = new Task[Depth];
        for (int reader = 0; reader < Depth; reader++)
        {
            int seed = reader;
            readers[reader] = Task.Run(async () =>
            {
                Random random = new(seed);
                byte[] buffer = new byte[8192];
                for (int i = 0; i < 20; i++)
                {
                    int offset = random.Next(FileBytes + 4096);
                    int length = random.Next(1, buffer.Length);
                    int read = await handle.ReadAsync(buffer.AsMemory(0, length), offset);
                    int wanted = Math.Clamp(FileBytes - offset, 0, length);
                    Expect($"bytes read at {offset}", read, wanted);
                    Compare($"read at {offset}", buffer.AsSpan(0, read), _expected.AsSpan(Math.Min(offset, FileBytes), wanted));
                }
            });
        }

        await Task.WhenAll(readers);
    }

    private void ReadSynchronously(SluiceHandle handle)
    {
        byte[] buffer = new byte[FileBytes];
        Expect("bytes read at once", handle.Read(buffer, 0), FileBytes);
        Compare("read at once", buffer, _expected);
        Expect("bytes read past the end", handle.Read(buffer, FileBytes), 0);
    }

    private async Task ScatterAndGatherAsync(SluiceHandle handle)
    {
        Pattern(10_000, seed: 2).CopyTo(_expected, 5000);
        await handle.WriteAsync([_expected.AsMemory(5000, 1), _expected.AsMemory(5001, 0), _expected.AsMemory(5001, 9999)], 5000);
        byte[] head = new byte[777];
        byte[] tail = new byte[9223];
        Expect("bytes scattered", await handle.ReadAsync([head, tail], 5000), 10_000);
        Compare("scatter", [.. head, .. tail], _expected.AsSpan(5000, 10_000));

        Pattern(6000, seed: 3).CopyTo(_expected, 40_000);
        handle.Write([_expected.AsMemory(40_000, 3000), _expected.AsMemory(43_000, 3000)], 40_000);
        Expect("bytes scattered synchronously", handle.Read([head, tail], 40_000), 10_000);
        Compare("synchronous scatter", [.. head, .. tail], _expected.AsSpan(40_000, 10_000));
    }

    private void Batches(SluiceHandle handle)
    {
        WriteRequest[] writes = new WriteRequest[40];
        ReadRequest[] reads = new ReadRequest[40];
        byte[][] buffers = new byte[40][];
        for (int i = 0; i < writes.Length; i++)
        {
            int offset = i * 7001;
            Pattern(4096, seed: 100 + i).CopyTo(_expected, offset);
            writes[i] = new WriteRequest(offset, _expected.AsMemory(offset, 4096));
            reads[i] = new ReadRequest(offset, buffers[i] = new byte[4096]);
        }

        handle.WriteBatch(writes);
        handle.ReadBatch(reads);
        for (int i = 0; i < writes.Length; i++)
        {
            Expect("bytes written by a batch", writes[i].BytesWritten, 4096);
            Expect("bytes read by a batch", reads[i].BytesRead, 4096);
            Compare("batch", buffers[i], _expected.AsSpan(i * 7001, 4096));
        }
    }

    private async Task ChangeSpaceAsync(SluiceHandle handle)
    {
        handle.SetLength(FileBytes + 10_000);
        byte[] buffer = new byte[10_000];
        Expect("bytes of the extension", await handle.ReadAsync(buffer, FileBytes), 10_000);
        Compare("extension", buffer, new byte[10_000]);
        handle.SetLength(FileBytes);
        Expect("length after truncation", handle.Length, FileBytes);
        try
        {
            handle.PunchHole(100_000, 50_000);
            _expected.AsSpan(100_000, 50_000).Clear();
            _ = handle.GetExtents();
        }
        catch (NotSupportedException e)
        {
            Console.WriteLine($"not on this file system: {e.Message}");
        }

        Compare("holes", ReadFile(path), _expected);
    }

    private static async Task CancelAsync(SluiceHandle handle)
    {
        byte[] buffer = new byte[4096];
        try
        {
            await handle.ReadAsync(buffer, 0, new CancellationToken(canceled: true));
        }
        catch (OperationCanceledException)
        {
            return;
        }

        throw new SmokeFailureException("a cancelled read did not throw");
    }

    private async Task AppendAsync()
    {
        string log = path + ".log";
        using (SluiceHandle handle = SluiceHandle.Open(log, FileMode.CreateNew, FileAccess.Write, caching: caching))
        {
            Task<long>[] appends = new Task<long>[64];
            for (int i = 0; i < appends.Length; i++)
            {
                byte[] record = Pattern(200, seed: i);
                appends[i] = Task.Run(async () => (record[0] & 1) == 0 ? handle.AppendAndGetOffset(record) : await handle.AppendAndGetOffsetAsync(record));
            }

            long[] offsets = await Task.WhenAll(appends);
            byte[] content = ReadFile(log);
            Expect("length of the log", content.Length, 64 * 200);
            for (int i = 0; i < offsets.Length; i++)
            {
                Compare("append", content.AsSpan((int)offsets[i], 200), Pattern(200, seed: i));
            }
        }

        File.Delete(log);
    }

    private void FailToOpen()
    {
        try
        {
            using SluiceHandle handle = SluiceHandle.Open(path + ".missing");
        }
        catch (FileNotFoundException)
        {
            return;
        }

        throw new SmokeFailureException("a missing file did not throw FileNotFoundException");
    }

    private async Task WrapAsync()
    {
        using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        using SluiceHandle handle = SluiceHandle.FromSafeFileHandle(file, FileAccess.Read, ownsHandle: false);
        byte[] buffer = new byte[FileBytes];
        Expect("bytes by a wrapped handle", await handle.ReadAsync(buffer, 0), FileBytes);
        Compare("wrapped handle", buffer, _expected);
    }

    /// <summary>
    /// Reads a file by System.IO while it is open for writing. On Windows, <see cref="File.ReadAllBytes(string)"/> does not share such a file.
    /// </summary>
    private static byte[] ReadFile(string path)
    {
        using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return bytes;
    }

    private static byte[] Pattern(int length, int seed)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    private static void Expect(string what, long actual, long expected)
    {
        if (actual != expected)
        {
            throw new SmokeFailureException($"{what}: {actual} instead of {expected}");
        }
    }

    private void Compare(string what, ReadOnlySpan<byte> actual, ReadOnlySpan<byte> expected)
    {
        int same = actual.CommonPrefixLength(expected);
        if (same < actual.Length || same < expected.Length)
        {
            throw new SmokeFailureException($"{what} ({caching}): wrong from byte {same} on");
        }
    }
}
