using System.Buffers;
using System.Runtime.CompilerServices;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Sequential;

public sealed partial class SluiceWriterTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<string, FileCaching> Cases => SequentialCases.All;

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task The_file_has_every_byte_and_no_more(string engine, FileCaching caching)
    {
        foreach (int length in (int[])[0, 1, 511, 4095, 4096, 4097, 16_384, 70_001, 300_003])
        {
            byte[] content = Bytes.Pattern(length);
            foreach ((int size, int depth, int piece, bool isAsync) in ((int, int, int, bool)[])
                [(0, 0, 1000, false), (4096, 1, 4096, false), (4096, 3, 5000, true), (8192, 4, 300_003, true), (16_384, 2, 37, false),
                    (0, 0, 9999, true)])
            {
                string path = _temp.NewPath();
                await using (SluiceWriter writer = Writer(
                    path, engine, caching, new SluiceWriterOptions { RequestSize = size, Depth = depth }))
                {
                    for (int at = 0; at < length; at += piece)
                    {
                        await WriteAsync(writer, content.AsMemory(at, Math.Min(piece, length - at)), isAsync);
                    }

                    writer.Position.ShouldBe(length);
                }

                File.ReadAllBytes(path).ShouldBeBytes(content, $"{length} bytes by {piece}, {size} x {depth}, async {isAsync}");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Random_calls_agree_with_a_FileStream(string engine, FileCaching caching)
    {
        for (int seed = 0; seed < 12; seed++)
        {
            Random random = new(seed);
            byte[] content = Bytes.Pattern(400_000, seed);
            byte[] before = Bytes.Pattern(random.Next(3) == 0 ? 0 : random.Next(100_000), 100);
            string path = _temp.NewFile(before);
            string modelPath = _temp.NewFile(before);
            long start = random.Next(3) switch { 0 => 0, 1 => before.Length, _ => random.Next(before.Length + 5000) };
            using FileStream model = new(modelPath, FileMode.Open);
            model.Position = start;
            SluiceWriter writer = Writer(path, engine, caching, new SluiceWriterOptions
            {
                Mode = FileMode.OpenOrCreate,
                Offset = start,
                RequestSize = random.Next(3) switch { 0 => 0, 1 => 4096, _ => random.Next(1, 20_000) },
                Depth = random.Next(6),
                PreallocationSize = random.Next(2) * random.Next(200_000),
            });
            int at = 0;
            while (at < content.Length - 30_000 && random.Next(40) != 0)
            {
                int count = random.Next(4) == 0 ? random.Next(30_000) : random.Next(300);
                ReadOnlyMemory<byte> bytes = content.AsMemory(at, count);
                model.Write(bytes.Span);
                at += count;
                switch (random.Next(8))
                {
                    case 0:
                        bytes.CopyTo(writer.GetMemory(count));
                        writer.Advance(count);
                        break;
                    case 1:
                        ((IBufferWriter<byte>)writer).Write(bytes.Span);
                        break;
                    case 2:
                        await WriteAsync(writer, bytes, isAsync: true);
                        await writer.FlushAsync();
                        model.Flush();
                        Content(path, (int)(start + at)).ShouldBeBytes(Content(modelPath, (int)(start + at)), $"seed {seed}, flushed");
                        break;
                    case 3:
                        await WriteAsync(writer, bytes, isAsync: false);
                        writer.Flush(flushToDisk: random.Next(3) == 0);
                        break;
                    default:
                        await WriteAsync(writer, bytes, random.Next(2) == 0);
                        break;
                }

                writer.Position.ShouldBe(model.Position);
            }

            if (random.Next(2) == 0)
            {
                await writer.CompleteAsync();
                Should.Throw<InvalidOperationException>(() => writer.Write([1]));
            }

            writer.Dispose();
            model.Dispose();
            File.ReadAllBytes(path).ShouldBeBytes(File.ReadAllBytes(modelPath), $"seed {seed}");
        }
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_token_ends_every_call_that_waits(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(70_000);
        string path = _temp.NewPath();
        using CancellationTokenSource source = new();
        CancellationToken token = source.Token;
        SluiceWriter writer = Writer(path, engine, caching, new SluiceWriterOptions { RequestSize = 4096 });
        writer.Write(content, token);
        await source.CancelAsync();
        foreach (Action call in (Action[])
            [() => writer.Write(content, token), () => WriteNumbers(writer, token),
                () => writer.WriteRecords<long>(new long[9000], token), () =>
                    writer.Flush(cancellationToken: token), () => writer.Complete(token)])
        {
            Should.Throw<OperationCanceledException>(call);
        }

        foreach (Func<Task> call in (Func<Task>[])
            [async () => await writer.WriteAsync(content, token), async () => await writer.FlushAsync(cancellationToken: token),
                async () => await writer.CompleteAsync(token)])
        {
            await Should.ThrowAsync<OperationCanceledException>(call);
        }

        // Disposing is not cancelled.
        long position = writer.Position;
        writer.Write("end"u8);
        await writer.DisposeAsync();
        byte[] file = await File.ReadAllBytesAsync(path);
        file.LongLength.ShouldBe(position + 3);
        file.AsSpan(0, content.Length).ToArray().ShouldBeBytes(content);
        file.AsSpan(^3).ToArray().ShouldBe("end"u8.ToArray());

        static void WriteNumbers(SluiceWriter writer, CancellationToken cancellationToken)
        {
            while (true)
            {
                writer.WriteRecord(1L, cancellationToken);
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_large_cached_write_is_one_write(bool isAsync)
    {
        byte[] content = Bytes.Pattern(20 << 20);
        string path = _temp.NewPath();
        List<long> told = [];
        using (SluiceWriter writer = new(path, new SluiceWriterOptions { Progress = new ListProgress(told) }))
        {
            await WriteAsync(writer, content, isAsync);
            told.ShouldBe([content.Length]);
        }

        File.ReadAllBytes(path).ShouldBeBytes(content);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_cancelled_write_says_how_much_it_took(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(300_000);
        string path = _temp.NewPath();
        await using (SluiceWriter writer = Writer(path, engine, caching, new SluiceWriterOptions { RequestSize = 4096, Depth = 2 }))
        {
            while (writer.Position < content.Length)
            {
                using CancellationTokenSource source = new();
                try
                {
                    int at = (int)writer.Position;
                    ValueTask task = writer.WriteAsync(content.AsMemory(at, Math.Min(3000, content.Length - at)), source.Token);
                    source.Cancel();
                    await task;
                }
                catch (OperationCanceledException)
                {
                    // The next round goes on where this one stopped.
                }
            }
        }

        File.ReadAllBytes(path).ShouldBeBytes(content);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pipe_gets_the_bytes_in_order(bool isAsync)
    {
        byte[] content = Bytes.Pattern(250_000);
        (SluiceWriter writer, SafeFileHandle read) = ToPipe(requestSize: 0);
        Task<byte[]> reading = ReadToEndAsync(read);
        await using (writer)
        {
            for (int at = 0; at < content.Length; at += 2500)
            {
                await WriteAsync(writer, content.AsMemory(at, 2500), isAsync);
                if (at % 50_000 == 0)
                {
                    writer.Flush();
                }
            }
        }

        (await reading).ShouldBeBytes(content);
    }

    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public void A_writer_that_is_dropped_completes_its_file(FileCaching caching)
    {
        byte[] content = Bytes.Pattern(100_001);
        string path = _temp.NewPath();
        Drop();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        File.ReadAllBytes(path).ShouldBeBytes(content);

        [MethodImpl(MethodImplOptions.NoInlining)]
        void Drop()
        {
            SluiceWriter writer = Writer(path, "own", caching, new SluiceWriterOptions { RequestSize = 4096, Depth = 4 });
            writer.Write(content);
        }
    }

    private static SluiceWriter Writer(string path, string engine, FileCaching caching, SluiceWriterOptions options) =>
        new(path, new SluiceWriterOptions
        {
            Engine = SequentialCases.Engine(engine),
            Caching = caching,
            Share = FileShare.ReadWrite,
            Mode = options.Mode,
            Offset = options.Offset,
            Depth = options.Depth,
            RequestSize = options.RequestSize,
            PreallocationSize = options.PreallocationSize,
            FlushToDisk = options.FlushToDisk,
            Progress = options.Progress,
        });

    private static async Task WriteAsync(SluiceWriter writer, ReadOnlyMemory<byte> bytes, bool isAsync)
    {
        if (isAsync)
        {
            await writer.WriteAsync(bytes);
        }
        else
        {
            writer.Write(bytes.Span);
        }
    }

    /// <summary>The first bytes, as another program sees them.</summary>
    private static byte[] Content(string path, int count)
    {
        using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        byte[] content = new byte[count];
        stream.ReadExactly(content);
        return content;
    }
}
