using Microsoft.Win32.SafeHandles;
using Sluice.Testing;

namespace Sluice.Tests.Sequential;

public sealed partial class SluiceReaderTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<string, FileCaching> Cases => SequentialCases.All;

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Blocks_make_up_the_file(string engine, FileCaching caching)
    {
        foreach (int length in (int[])[0, 1, 511, 512, 4095, 4096, 4097, 16_384, 70_001, 300_003])
        {
            byte[] content = Bytes.Pattern(length);
            string path = _temp.NewFile(content);
            foreach ((int size, int depth, long offset) in ((int, int, long)[])
                [(0, 0, 0), (4096, 1, 0), (4096, 3, 0), (8192, 5, 1), (16_384, 2, 4096), (1000, 4, 777), (0, 0, length + 5)])
            {
                byte[] rest = content[(int)Math.Min(offset, length)..];
                using (SluiceReader reader = SequentialCases.Reader(path, engine, caching, size, depth, offset))
                {
                    ReadAll(reader).ShouldBeBytes(rest, $"{length} bytes from {offset}, {size} x {depth}");
                    reader.Position.ShouldBe(offset + rest.Length);
                }

                using (SluiceReader reader = SequentialCases.Reader(path, engine, caching, size, depth, offset))
                {
                    (await ReadAllAsync(reader)).ShouldBeBytes(rest, $"async, {length} bytes from {offset}, {size} x {depth}");
                }
            }
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Synchronous_and_asynchronous_calls_may_alternate_on_any_thread(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(400_000);
        using SluiceReader reader = SequentialCases.Reader(_temp.NewFile(content), engine, caching, 4096, 6);
        MemoryStream read = new();
        for (int i = 0; ; i++)
        {
            int before = (int)read.Length;
            if (i % 3 == 0)
            {
                read.Write((await reader.ReadBlockAsync()).Span);
            }
            else if (i % 3 == 1)
            {
                read.Write(reader.BlockOrEmpty());
            }
            else
            {
                Thread thread = new(() => read.Write(reader.BlockOrEmpty()));
                thread.Start();
                thread.Join();
            }

            if (read.Length == before)
            {
                break;
            }
        }

        read.ToArray().ShouldBeBytes(content);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Seek_goes_on_elsewhere(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(100_000);
        using SluiceReader reader = SequentialCases.Reader(_temp.NewFile(content), engine, caching, 4096, 4);
        Random random = new(5);
        byte[] buffer = new byte[9000];
        for (int i = 0; i < 60; i++)
        {
            int at = random.Next(110_000);
            reader.Seek(at);
            reader.Position.ShouldBe(at);
            int count = reader.Read(buffer.AsSpan(0, random.Next(buffer.Length)));
            buffer.AsSpan(0, count).ToArray().ShouldBeBytes(content.AsSpan(Math.Min(at, 100_000), count));
            reader.Position.ShouldBe(at + count);
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void A_file_that_grows_is_read_to_its_new_end(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(50_000);
        string path = _temp.NewFile(content.AsSpan(0, 10_001));
        using SluiceReader reader = SequentialCases.Reader(path, engine, caching, 0, 4);
        MemoryStream read = new();
        foreach (int end in (int[])[10_001, 10_001, 20_480, 20_481, 50_000])
        {
            using (FileStream writer = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
            {
                writer.SetLength(end);
                writer.Write(content, 0, end);
            }

            read.Write(ReadAll(reader));
            read.ToArray().ShouldBeBytes(content.AsSpan(0, end));
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_file_that_is_cut_is_read_to_its_new_end_or_as_far_as_it_was_read_before(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(200_000);
        for (int end = 0; end < 60_000; end += 4999)
        {
            foreach (bool isAsync in (bool[])[false, true])
            {
                string path = _temp.NewFile(content);
                using SluiceReader reader = SequentialCases.Reader(path, engine, caching, 4096, 4);
                int first = (isAsync ? await reader.ReadBlockAsync() : reader.BlockOrEmpty().ToArray()).Length;
                first.ShouldBe(4096);
                using (FileStream writer = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
                {
                    writer.SetLength(end);
                }

                // What was read ahead before the cut may come; then comes the end, and it is one end.
                byte[] rest = isAsync ? await ReadAllAsync(reader) : ReadAll(reader);
                rest.Length.ShouldBeInRange(Math.Max(end - first, 0), Math.Max(end - first, 4 * 4096));
                rest.ShouldBeBytes(content.AsSpan(first, rest.Length));
                reader.BlockOrEmpty().IsEmpty.ShouldBeTrue();
            }
        }
    }

    [Fact]
    public async Task An_error_tells_its_offset_and_reading_goes_on_there()
    {
        foreach (bool isAsync in (bool[])[false, true])
        {
            byte[] content = Bytes.Pattern(100_000);
            string path = _temp.NewFile(content);
            FaultPlan plan = new(9);
            plan.FailAt(7, FaultKind.DeviceError);
            using SluiceReader reader = new(path, new SluiceReaderOptions
            {
                Caching = FileCaching.Direct,
                Engine = new FaultyEngine(plan),
                RequestSize = 4096,
                Depth = 3,
            });
            MemoryStream read = new();
            IOException? error = null;
            while (true)
            {
                try
                {
                    ReadOnlyMemory<byte> block = isAsync ? await reader.ReadBlockAsync() : reader.BlockOrEmpty().ToArray();
                    if (block.IsEmpty)
                    {
                        break;
                    }

                    read.Write(block.Span);
                }
                catch (IOException e)
                {
                    error.ShouldBeNull();
                    error = e;
                    reader.Position.ShouldBe(read.Length);
                    e.Message.ShouldContain($"at offset {read.Length}");
                }
            }

            error.ShouldNotBeNull();
            read.ToArray().ShouldBeBytes(content);
        }
    }

    [Fact]
    public void Files_of_proc_are_read_though_they_have_no_length()
    {
        using SluiceReader reader = new("/proc/self/maps");
        byte[] maps = ReadAll(reader);
        System.Text.Encoding.UTF8.GetString(maps).ShouldContain("[stack]");
    }

    [Fact]
    public void Progress_is_the_position_after_each_block()
    {
        List<long> reported = [];
        using SluiceReader reader = SequentialCases.Reader(
            _temp.NewFile(10_000), "own", FileCaching.Direct, 4096, 2, progress: new ListProgress(reported));
        _ = ReadAll(reader);
        reported.ShouldBe([4096, 8192, 10_000]);
    }

    [Fact]
    public void Options_out_of_range_are_refused()
    {
        string path = _temp.NewFile(10);
        foreach (SluiceReaderOptions options in (SluiceReaderOptions[])
            [new() { Offset = -1 }, new() { Depth = -1 }, new() { Depth = 129 }, new() { RequestSize = -1 }])
        {
            Should.Throw<ArgumentOutOfRangeException>(() => new SluiceReader(path, options));
        }

        using SluiceHandle writer = SluiceHandle.Open(path, FileMode.Open, FileAccess.Write);
        Should.Throw<ArgumentException>(() => new SluiceReader(writer));
    }

    [SkippableFact]
    public void Two_calls_at_once_are_refused()
    {
        (SafeFileHandle readEnd, SafeFileHandle writeEnd) = Native.Pipe();
        using SluiceReader reader = new(SluiceHandle.FromSafeFileHandle(readEnd, FileAccess.Read, ownsHandle: true));
        using (writeEnd)
        {
            _ = reader.ReadBlockAsync().AsTask();
            Should.Throw<InvalidOperationException>(() => reader.BlockOrEmpty().Length);
        }
    }

    private static byte[] ReadAll(SluiceReader reader)
    {
        MemoryStream result = new();
        while (true)
        {
            ReadOnlySpan<byte> block = reader.BlockOrEmpty();
            if (block.IsEmpty)
            {
                return result.ToArray();
            }

            result.Write(block);
        }
    }

    private static async Task<byte[]> ReadAllAsync(SluiceReader reader)
    {
        MemoryStream result = new();
        while (true)
        {
            ReadOnlyMemory<byte> block = await reader.ReadBlockAsync();
            if (block.IsEmpty)
            {
                return result.ToArray();
            }

            result.Write(block.Span);
        }
    }
}
