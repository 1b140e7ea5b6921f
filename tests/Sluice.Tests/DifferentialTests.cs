using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests;

/// <summary>The same call on <see cref="RandomAccess"/> and on <see cref="SluiceHandle"/>: the same result, or the same exception
/// type.</summary>
public sealed class DifferentialTests : IDisposable
{
    // No FIFO: RandomAccess refuses what cannot seek, while SluiceHandle transfers in order, as FileStream does.
    private static readonly string[] Kinds =
    [
        "file", "file read-only", "file write-only", "empty file", "closed",
        .. OperatingSystem.IsWindows() ? (string[])[] : ["/dev/null", "/dev/zero", "/dev/full"],
    ];
    private static readonly long[] Offsets = [long.MinValue, -1, 0, 1, 99, 100, 101, 4096, 1L << 40, long.MaxValue - 1, long.MaxValue];
    private static readonly int[] Lengths = [0, 1, 50, 4096];

    private readonly TempFolder _temp = new();

    public static TheoryData<string, FileCaching> KindsAndCachings
    {
        get
        {
            TheoryData<string, FileCaching> data = [];
            foreach (string kind in Kinds)
            {
                data.Add(kind, FileCaching.Cached);
                data.Add(kind, FileCaching.Direct);
            }

            data.Add("file", FileCaching.Uncached);

            return data;
        }
    }

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(KindsAndCachings))]
    public async Task Scalar_transfers_agree(string kind, FileCaching caching)
    {
        foreach (long offset in Offsets)
        {
            foreach (int length in Lengths)
            {
                await CompareAsync(kind, caching, $"Read {length} at {offset}",
                    f => Task.FromResult(ReadBytes(b => RandomAccess.Read(f, b, offset), length)),
                    h => Task.FromResult(ReadBytes(b => h.Read(b, offset), length)));
                await CompareAsync(kind, caching, $"ReadAsync {length} at {offset}",
                    f => ReadBytesAsync(b => RandomAccess.ReadAsync(f, b, offset), length),
                    h => ReadBytesAsync(b => h.ReadAsync(b, offset), length));
                if (offset >= 1L << 40 && offset < long.MaxValue - 4096)
                {
                    // A terabyte's hole is allowed or not; what the file holds then is too much to compare.
                    continue;
                }

                byte[] bytes = Bytes.Pattern(length);
                await CompareAsync(kind, caching, $"Write {length} at {offset}",
                    f => Done(() => RandomAccess.Write(f, bytes, offset)),
                    h => Done(() => h.Write(bytes, offset)));
                await CompareAsync(kind, caching, $"WriteAsync {length} at {offset}",
                    async f => await DoneAsync(RandomAccess.WriteAsync(f, bytes, offset)),
                    async h => await DoneAsync(h.WriteAsync(bytes, offset)));
            }
        }
    }

    [Theory]
    [MemberData(nameof(KindsAndCachings))]
    public async Task Vectored_transfers_agree(string kind, FileCaching caching)
    {
        // The kernel may cut a read of these devices behind each page, for a signal or for another thread: then both counts are right.
        int[] longest = kind is "/dev/zero" or "/dev/full" ? [50, 60, 4096 - 110] : [50, 60, 4096];
        foreach (long offset in Offsets.Where(o => o is < 1L << 40 or >= long.MaxValue - 4096))
        {
            foreach (int[] lengths in (int[][])[[], [0], [10], [10, 0, 30], longest])
            {
                await CompareAsync(kind, caching, $"Read [{string.Join(' ', lengths)}] at {offset}",
                    f => Task.FromResult(ReadSegments(b => RandomAccess.Read(f, b, offset), lengths)),
                    h => Task.FromResult(ReadSegments(b => h.Read(b, offset), lengths)));
                await CompareAsync(kind, caching, $"ReadAsync [{string.Join(' ', lengths)}] at {offset}",
                    async f => ReadSegments(b => RandomAccess.ReadAsync(f, b, offset).AsTask().Result, lengths),
                    async h => ReadSegments(b => h.ReadAsync(b, offset).AsTask().Result, lengths));
                ReadOnlyMemory<byte>[] segments = [.. lengths.Select(l => (ReadOnlyMemory<byte>)Bytes.Pattern(l))];
                await CompareAsync(kind, caching, $"Write [{string.Join(' ', lengths)}] at {offset}",
                    f => Done(() => RandomAccess.Write(f, segments, offset)),
                    h => Done(() => h.Write(segments, offset)));
                await CompareAsync(kind, caching, $"WriteAsync [{string.Join(' ', lengths)}] at {offset}",
                    async f => await DoneAsync(RandomAccess.WriteAsync(f, segments, offset)),
                    async h => await DoneAsync(h.WriteAsync(segments, offset)));
            }
        }
    }

    [Theory]
    [MemberData(nameof(KindsAndCachings))]
    public async Task Length_and_flush_agree(string kind, FileCaching caching)
    {
        await CompareAsync(kind, caching, "Length", f => Task.FromResult($"{RandomAccess.GetLength(f)}"), h =>
            Task.FromResult($"{h.Length}"));
        foreach (long length in (long[])[long.MinValue, -1, 0, 50, 5000, long.MaxValue])
        {
            await CompareAsync(kind, caching, $"SetLength {length}",
                f => Done(() => RandomAccess.SetLength(f, length)), h => Done(() => h.SetLength(length)));
        }

        await CompareAsync(kind, caching, "FlushToDisk", f => Done(() => RandomAccess.FlushToDisk(f)), h => Done(() => h.FlushToDisk()));
        await CompareAsync(kind, caching, "FlushToDiskAsync",
            f => Done(() => RandomAccess.FlushToDisk(f)), async h => await DoneAsync(h.FlushToDiskAsync()));
    }

    [Fact]
    public void Opening_agrees_in_every_mode_access_and_size()
    {
        foreach (bool exists in (bool[])[false, true])
        {
            for (int mode = 0; mode <= 7; mode++)
            {
                for (int access = 0; access <= 4; access++)
                {
                    foreach (long size in (long[])[-1, 0, 4096, 1L << 60])
                    {
                        CompareOpening(exists, (FileMode)mode, (FileAccess)access, FileShare.Read, FileOptions.None, size);
                    }

                    CompareOpening(exists, (FileMode)mode, (FileAccess)access, (FileShare)99, FileOptions.None, 0);
                    CompareOpening(exists, (FileMode)mode, (FileAccess)access, FileShare.None, (FileOptions)1, 0);
                    CompareOpening(exists, (FileMode)mode, (FileAccess)access, FileShare.None, FileOptions.DeleteOnClose, 0);
                }
            }
        }
    }

    [Fact]
    public void Preallocation_that_cannot_be_names_path_and_size_and_leaves_no_file()
    {
        string path = _temp.NewPath();
        const long size = 1L << 60;
        IOException own =
            Should.Throw<IOException>(() => SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.Write, preallocationSize: size));
        own.Message.ShouldContain(path);
        own.Message.ShouldContain($"{size}");
        File.Exists(path).ShouldBeFalse();
        using SluiceHandle fits = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.Write, preallocationSize: 1 << 20);
        fits.Length.ShouldBe(new FileInfo(path).Length);
    }

    private void CompareOpening(bool exists, FileMode mode, FileAccess access, FileShare share, FileOptions options, long size)
    {
        string what = $"{(exists ? "existing" : "missing")} {mode} {access} {share} {options} {size}";
        string theirs = exists ? _temp.NewFile(10) : _temp.NewPath();
        string own = exists ? _temp.NewFile(10) : _temp.NewPath();
        Exception? expected = Record.Exception(() => File.OpenHandle(theirs, mode, access, share, options, size).Dispose());
        Exception? actual = Record.Exception(() => SluiceHandle.Open(own, mode, access, share, options, size).Dispose());
        (actual?.GetType()).ShouldBe(expected?.GetType(), $"{what}: {actual}");
        File.Exists(own).ShouldBe(File.Exists(theirs), what);
        if (File.Exists(own))
        {
            new FileInfo(own).Length.ShouldBe(new FileInfo(theirs).Length, what);
            File.Delete(own);
            File.Delete(theirs);
        }
    }

    private async Task CompareAsync(
        string kind, FileCaching caching, string what, Func<SafeFileHandle, Task<string>> theirs, Func<SluiceHandle, Task<string>> own)
    {
        (string path, FileAccess access) = Make(kind);
        string expected;
        byte[]? expectedContent;
        using (SafeFileHandle file = File.OpenHandle(path, FileMode.Open, access, FileShare.ReadWrite))
        {
            CloseIfAsked(kind, file);
            expected = await OutcomeAsync(() => theirs(file));
            expectedContent = Content(kind, path);
        }

        (path, _) = Make(kind);
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, access, FileShare.ReadWrite, caching: caching);
        CloseIfAsked(kind, handle);
        (await OutcomeAsync(() => own(handle))).ShouldBe(expected, $"{kind}, {caching}: {what}");
        Content(kind, path)?.ShouldBeBytes(expectedContent, $"{kind}, {caching}: {what}");
    }

    private static void CloseIfAsked(string kind, IDisposable handle)
    {
        if (kind == "closed")
        {
            handle.Dispose();
        }
    }

    private (string Path, FileAccess Access) Make(string kind) => kind switch
    {
        "file" or "closed" => (_temp.NewFile(100), FileAccess.ReadWrite),
        "file read-only" => (_temp.NewFile(100), FileAccess.Read),
        "file write-only" => (_temp.NewFile(100), FileAccess.Write),
        "empty file" => (_temp.NewFile(0), FileAccess.ReadWrite),
        _ => (kind, FileAccess.ReadWrite),
    };

    private static byte[]? Content(string kind, string path)
    {
        if (!kind.Contains("file", StringComparison.Ordinal) || new FileInfo(path).Length >= 1 << 20)
        {
            return null;
        }

        // Beside an open handle, which Windows asks to be shared.
        using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        byte[] content = new byte[stream.Length];
        stream.ReadExactly(content);
        return content;
    }

    private static async Task<string> OutcomeAsync(Func<Task<string>> action)
    {
        try
        {
            return await action();
        }
        catch (Exception e)
        {
            return ((e as AggregateException)?.InnerException ?? e).GetType().Name;
        }
    }

    private static Task<string> Done(Action action)
    {
        action();
        return Task.FromResult("done");
    }

    private static async Task<string> DoneAsync(ValueTask task)
    {
        await task;
        return "done";
    }

    private static string ReadBytes(Func<byte[], int> read, int length)
    {
        byte[] buffer = new byte[length];
        int bytes = read(buffer);
        return $"{bytes}: {Convert.ToHexString(buffer.AsSpan(0, bytes))}";
    }

    private static async Task<string> ReadBytesAsync(Func<byte[], ValueTask<int>> read, int length)
    {
        byte[] buffer = new byte[length];
        int bytes = await read(buffer);
        return $"{bytes}: {Convert.ToHexString(buffer.AsSpan(0, bytes))}";
    }

    private static string ReadSegments(Func<Memory<byte>[], long> read, int[] lengths)
    {
        Memory<byte>[] buffers = [.. lengths.Select(l => new Memory<byte>(new byte[l]))];
        long bytes = read(buffers);
        byte[] all = [.. buffers.SelectMany(b => b.ToArray())];
        return $"{bytes}: {Convert.ToHexString(all.AsSpan(0, (int)bytes))}";
    }
}
