using System.IO.Pipelines;

namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// Memory of the caller's own managers given to streams, writers, readers and whole files: bytes that a call took are there once, those
/// that it did not take are not, and the object goes on from its position.
/// </summary>
[Trait("Tier", "slow")]
public sealed class CallerMemoryTests : HostileTests
{
    private const int Piece = 7000;
    private const int Pieces = 4;
    private static readonly byte[] Content = Bytes.Pattern(Piece * Pieces);

    public static TheoryData<string, FileCaching, int> Streams => new()
    {
        { "own", FileCaching.Cached, -1 },
        { "own", FileCaching.Cached, 4096 },
        { "own", FileCaching.Direct, 0 },
        { "held", FileCaching.Cached, 4096 },
        { "held", FileCaching.Direct, -1 },
    };

    [Theory]
    [MemberData(nameof(Streams))]
    public Task Stream_writes(string engine, FileCaching caching, int bufferSize) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewPath();
        SluiceStream stream = new(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.ReadWrite,
            Engine = Engine(engine),
            Caching = caching,
            BufferSize = bufferSize,
            Options = FileOptions.Asynchronous,
        });
        await WriteAllAsync(countdown, memory => stream.WriteAsync(memory), () => stream.Position, () => stream.DisposeAsync());
        File.ReadAllBytes(path).ShouldBeBytes(Content);
    });

    [Theory]
    [MemberData(nameof(Streams))]
    public Task Stream_reads(string engine, FileCaching caching, int bufferSize) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile(Content);
        await using SluiceStream stream = new(path, new SluiceOptions
        {
            Engine = Engine(engine),
            Caching = caching,
            BufferSize = bufferSize,
            Options = FileOptions.Asynchronous,
        });
        await ReadAllAsync(countdown, memory => stream.ReadAsync(memory), () => stream.Position);
    });

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Writer(string engine, FileCaching caching) => EveryCallAsync(async countdown =>
    {
        // Memory that fits into a block is copied there; what is larger goes to the file from where it lies, unless that is direct.
        (string, int)[] ways = [("bytes", 16_384), ("bytes", 4096), ("records", 4096), ("stream", 16_384)];
        foreach ((string how, int requestSize) in ways)
        {
            string path = Temp.NewPath();
            using Neighbour neighbour = new(Temp, caching);
            SluiceWriter writer = new(path, new SluiceWriterOptions
            {
                Engine = Engine(engine),
                Caching = caching,
                RequestSize = requestSize,
                Depth = 2,
            });
            await WriteAllAsync(countdown, Write, () => writer.Position, writer.DisposeAsync);
            long written = writer.Position;
            File.ReadAllBytes(path).ShouldBeBytes(Content.AsSpan(0, (int)written), how);

            ValueTask Write(ReadOnlyMemory<byte> memory)
            {
                neighbour.Step();
                return how switch
                {
                    "bytes" => writer.WriteAsync(memory),
                    "records" => writer.WriteRecordsAsync(memory),
                    _ => writer.AsStream().WriteAsync(memory),
                };
            }
        }
    });

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Pipe_writer(string engine, FileCaching caching) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewPath();
        SluiceWriter writer = new(
            path, new SluiceWriterOptions { Engine = Engine(engine), Caching = caching, RequestSize = 4096, Depth = 2 });
        PipeWriter pipe = writer.AsPipeWriter();
        await WriteAllAsync(countdown, async memory => await pipe.WriteAsync(memory), () => writer.Position, writer.DisposeAsync);
        File.ReadAllBytes(path).ShouldBeBytes(Content);
    });

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Reader_as_a_stream(string engine, FileCaching caching) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile(Content);
        using SluiceReader reader = new(
            path, new SluiceReaderOptions { Engine = Engine(engine), Caching = caching, RequestSize = 4096, Depth = 2 });
        Stream stream = reader.AsStream();
        await ReadAllAsync(countdown, memory => stream.ReadAsync(memory), () => reader.Position);
    });

    [Theory]
    [InlineData("own")]
    [InlineData("held")]
    public Task Whole_files(string engine) => EveryCallAsync(async countdown =>
    {
        using IDisposable? scope = Engine(engine) is { } held ? IoEngine.UseForCurrentContext(held) : null;
        string path = Temp.NewPath();
        HostileMemory memory = new(countdown, Content);
        await TryFileAsync(() => SluiceFile.WriteAllBytesAsync(path, memory.Memory), old: null, Content);
        await TryFileAsync(() => SluiceFile.AppendAllBytesAsync(path, memory.Memory), Content, [.. Content, .. Content]);
        File.WriteAllBytes(path, "old"u8);
        await TryFileAsync(() => SluiceFile.ReplaceAtomicallyAsync(path, memory.Memory), "old"u8.ToArray(), Content);
        string second = Temp.NewPath();
        string third = Temp.NewPath();
        await countdown.TryAsync(async () =>
        {
            try
            {
                await SluiceFile.WriteManyAsync(
                    [(second, memory.Memory), (third, memory.Memory)], new FileBatchOptions { ContinueOnError = true });
            }
            catch (FileBatchException e)
            {
                e.Failures.Count.ShouldBe(1, $"{e}");
                File.ReadAllBytes(e.Failures[0].Path == second ? third : second).ShouldBeBytes(Content);
                throw e.Failures[0].Error;
            }
        });
        memory.Close();
        Directory.GetFiles(Temp.Root, ".*").ShouldBeEmpty("a temporary file was left");

        async Task TryFileAsync(Func<Task> action, byte[]? old, byte[] expected)
        {
            bool isDone = await countdown.TryAsync(action);
            byte[]? found = File.Exists(path) ? File.ReadAllBytes(path) : null;
            if (isDone)
            {
                found!.ShouldBeBytes(expected);
            }
            else if (found is not null)
            {
                // A plain write may have been made before its memory was unpinned; one that was not leaves at most an empty file.
                (found.AsSpan().SequenceEqual(expected) || found.AsSpan().SequenceEqual(old ?? [])).ShouldBeTrue($"{found.Length} bytes");
            }

            File.WriteAllBytes(path, expected);
        }
    });

    /// <summary>
    /// Pieces until all is written, each from where the position stands: what threw must not have been taken, or must have been taken whole
    /// and once.
    /// </summary>
    private static async Task WriteAllAsync(
        Countdown countdown, Func<ReadOnlyMemory<byte>, ValueTask> write, Func<long> position, Func<ValueTask> dispose)
    {
        List<HostileMemory> memories = [];
        bool isFinal = false;
        int failures = 0;
        while (position() < Content.Length && !isFinal)
        {
            int at = (int)position();
            HostileMemory memory = new(countdown, Content.AsSpan(at, Math.Min(Piece, Content.Length - at)));
            memories.Add(memory);
            failures += await countdown.TryAsync(async () => await write(memory.Memory)) ? 0 : 1;
            position().ShouldBeInRange(at, at + Piece, "the position after a call");

            // What fails on its way into a writer's file fails for good: each later call says the same.
            isFinal = failures == 3;
        }

        await countdown.TryAsync(async () => await dispose());
        memories.ForEach(m => m.Close());
    }

    private static async Task ReadAllAsync(Countdown countdown, Func<Memory<byte>, ValueTask<int>> read, Func<long> position)
    {
        byte[] all = new byte[Content.Length];
        while (position() < Content.Length)
        {
            int at = (int)position();
            HostileMemory memory = new(countdown, new byte[Piece]);
            bool isRead = await countdown.TryAsync(async () =>
            {
                int count = await read(memory.Memory);
                count.ShouldBeGreaterThan(0, $"a false end at {at}");
                position().ShouldBe(at + count);
                memory.Content[..count].CopyTo(all.AsSpan(at));
            });
            position().ShouldBeGreaterThanOrEqualTo(at);
            (isRead || position() == at).ShouldBeTrue($"a failed read moved the position from {at} to {position()}");
            memory.Close();
        }

        all.ShouldBeBytes(Content);
    }
}
