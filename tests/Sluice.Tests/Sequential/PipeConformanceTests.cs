using System.Buffers;
using System.IO.Pipelines;

namespace Sluice.Tests.Sequential;

/// <summary>
/// The same random calls on a pipe of ours and on .NET's own over a FileStream: every result and every exception is the same.
/// </summary>
public sealed class PipeConformanceTests : IDisposable
{
    private const int Block = 4096;

    private readonly TempFolder _temp = new();

    public static TheoryData<string, FileCaching> Cases => SequentialCases.All;

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_reader_behaves_as_PipeReader_Create(string engine, FileCaching caching)
    {
        for (int seed = 0; seed < 40; seed++)
        {
            Random random = new(seed);
            byte[] content = Bytes.Pattern(random.Next(3) * Block + random.Next(Block), seed);
            string path = _temp.NewFile(content);
            PipeReader ours = SequentialCases.Reader(path, engine, caching, Block, 2).AsPipeReader();
            PipeReader theirs = PipeReader.Create(
                new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, 0),
                new StreamPipeReaderOptions(bufferSize: Block, minimumReadSize: 1));
            ReadOnlySequence<byte> ourBuffer = default;
            ReadOnlySequence<byte> theirBuffer = default;
            List<string> calls = [];
            bool isCompleted = false;
            for (int i = 0; i < 30; i++)
            {
                int call = random.Next(12);
                using CancellationTokenSource cancelled = new();
                if (call == 0)
                {
                    await cancelled.CancelAsync();
                }

                string why = $"seed {seed}, after {string.Join(", ", calls)}: {call}";
                calls.Add($"{call}");
                switch (call)
                {
                    case 1:
                        ours.CancelPendingRead();
                        theirs.CancelPendingRead();
                        break;
                    case 2:
                        Outcome(() => ours.AdvanceTo(default)).ShouldBe(Outcome(() => theirs.AdvanceTo(default)), why);
                        break;
                    case 3 when i > 20:
                        ours.Complete();
                        theirs.Complete();
                        isCompleted = true;
                        break;
                    case 4:
                        ReadResult ourTry = default;
                        ReadResult theirTry = default;
                        bool ourIs = false;
                        bool theirIs = false;
                        Outcome(() => ourIs = ours.TryRead(out ourTry)).ShouldBe(
                            Outcome(() => theirIs = theirs.TryRead(out theirTry)), why);
                        ourIs.ShouldBe(theirIs, why);
                        if (ourIs)
                        {
                            Same(ourTry, theirTry, why);
                            (ourBuffer, theirBuffer) = (ourTry.Buffer, theirTry.Buffer);
                        }

                        break;
                    case 0 or 5 or 6 or 7 or 8:
                        (ReadResult? ourResult, string? ourError) = await TryAsync(() => ours.ReadAsync(cancelled.Token));
                        (ReadResult? theirResult, string? theirError) = await TryAsync(() => theirs.ReadAsync(cancelled.Token));
                        ourError.ShouldBe(theirError, why);
                        if (ourResult is { } mine)
                        {
                            Same(mine, theirResult!.Value, why);
                            (ourBuffer, theirBuffer) = (mine.Buffer, theirResult!.Value.Buffer);
                        }

                        break;
                    default:
                        // Positions of the last result; used once, as the contract says.
                        long consumed = random.Next(
                            3) switch
                        { 0 => 0, 1 => ourBuffer.Length, _ => random.NextInt64(ourBuffer.Length + 1) };
                        long examined = random.Next(2) == 0 ? consumed : random.NextInt64(consumed, ourBuffer.Length + 1);
                        Outcome(() => ours.AdvanceTo(ourBuffer.GetPosition(consumed), ourBuffer.GetPosition(examined)))
                            .ShouldBe(Outcome(() => theirs.AdvanceTo(
                                theirBuffer.GetPosition(consumed), theirBuffer.GetPosition(examined))), why);
                        (ourBuffer, theirBuffer) = (default, default);
                        break;
                }
            }

            if (!isCompleted)
            {
                (await RestAsync(ours)).ShouldBeBytes(await RestAsync(theirs), $"seed {seed}");
                await ours.CompleteAsync();
                await theirs.CompleteAsync();
            }
        }
    }

    [Fact]
    public async Task A_stale_position_is_refused_and_changes_nothing()
    {
        byte[] content = Bytes.Pattern(3 * Block);
        PipeReader reader = SequentialCases.Reader(_temp.NewFile(content), "own", FileCaching.Cached, Block).AsPipeReader();
        SequencePosition stale = (await reader.ReadAsync()).Buffer.End;
        reader.AdvanceTo(stale);
        ReadResult result = await reader.ReadAsync();
        Should.Throw<InvalidOperationException>(() => reader.AdvanceTo(stale));
        Should.Throw<InvalidOperationException>(() => reader.AdvanceTo(result.Buffer.Start, stale));
        reader.AdvanceTo(result.Buffer.Start);
        (await RestAsync(reader)).ShouldBeBytes(content.AsSpan(Block));
        await reader.CompleteAsync();
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_writer_behaves_as_PipeWriter_Create(string engine, FileCaching caching)
    {
        for (int seed = 0; seed < 40; seed++)
        {
            Random random = new(seed);
            byte[] content = Bytes.Pattern(60_000, seed);
            string ourPath = _temp.NewPath();
            string theirPath = _temp.NewPath();
            PipeWriter ours = new SluiceWriter(ourPath, new SluiceWriterOptions
            {
                Caching = caching,
                Engine = SequentialCases.Engine(engine),
                RequestSize = Block,
                Depth = 2,
                Share = FileShare.ReadWrite,
            }).AsPipeWriter();
            PipeWriter theirs = PipeWriter.Create(new FileStream(theirPath, FileMode.Create, FileAccess.Write, FileShare.ReadWrite, 0));
            int at = 0;
            int flushed = 0;
            List<string> calls = [];
            for (int i = 0; i < 25; i++)
            {
                int call = random.Next(7);
                string why = $"seed {seed}, after {string.Join(", ", calls)}: {call}";
                calls.Add($"{call}");
                switch (call)
                {
                    case 0:
                        ours.CancelPendingFlush();
                        theirs.CancelPendingFlush();
                        break;
                    case 1 or 2:
                        using (CancellationTokenSource cancelled = new())
                        {
                            if (random.Next(4) == 0)
                            {
                                await cancelled.CancelAsync();
                            }

                            (FlushResult? ourResult, string? ourError) = await TryAsync(() => ours.FlushAsync(cancelled.Token));
                            (FlushResult? theirResult, string? theirError) = await TryAsync(() => theirs.FlushAsync(cancelled.Token));
                            ourError.ShouldBe(theirError, why);
                            ourResult?.IsCanceled.ShouldBe(theirResult!.Value.IsCanceled, why);
                            ourResult?.IsCompleted.ShouldBe(theirResult!.Value.IsCompleted, why);
                            if (ourResult is { IsCanceled: false })
                            {
                                flushed = at;
                                Seen(ourPath, at).ShouldBeBytes(content.AsSpan(0, at), why);
                                Seen(theirPath, at).ShouldBeBytes(content.AsSpan(0, at), why);
                            }
                        }

                        break;
                    case 3:
                        Outcome(() => ours.Advance(1 << 20)).ShouldBe(Outcome(() => theirs.Advance(1 << 20)), why);
                        Outcome(() => ours.GetMemory(-1)).ShouldBe(Outcome(() => theirs.GetMemory(-1)), why);
                        break;
                    default:
                        int count = random.Next(3000);
                        foreach (PipeWriter writer in (PipeWriter[])[ours, theirs])
                        {
                            content.AsSpan(at, count).CopyTo(writer.GetSpan(count));
                            writer.Advance(count);
                        }

                        at += count;
                        break;
                }

                ours.UnflushedBytes.ShouldBe(theirs.UnflushedBytes, why);
            }

            Exception? error = random.Next(2) == 0 ? new InvalidDataException() : null;
            if (random.Next(2) == 0)
            {
                ours.Complete(error);
                theirs.Complete(error);
            }
            else
            {
                await ours.CompleteAsync(error);
                await theirs.CompleteAsync(error);
            }

            byte[] expected = content[..(error is null ? at : flushed)];
            File.ReadAllBytes(ourPath).ShouldBeBytes(expected, $"seed {seed}, {error}");
            if (!calls.Contains("0"))
            {
                // A cancelled flush of theirs may have written some of it.
                File.ReadAllBytes(theirPath).ShouldBeBytes(expected, $"seed {seed}, {error}, theirs");
            }

            Outcome(() => ours.GetSpan()).ShouldBe(Outcome(() => theirs.GetSpan()));
            Outcome(() => ours.Complete()).ShouldBe(Outcome(() => theirs.Complete()));
        }
    }

    private static void Same(ReadResult ours, ReadResult theirs, string why)
    {
        ours.Buffer.ToArray().ShouldBeBytes(theirs.Buffer.ToArray(), why);
        (ours.IsCanceled, ours.IsCompleted).ShouldBe((theirs.IsCanceled, theirs.IsCompleted), why);
    }

    private static async Task<byte[]> RestAsync(PipeReader reader)
    {
        using MemoryStream rest = new();
        while (true)
        {
            ReadResult result = await reader.ReadAsync();
            foreach (ReadOnlyMemory<byte> piece in result.Buffer)
            {
                rest.Write(piece.Span);
            }

            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return rest.ToArray();
            }
        }
    }

    private static byte[] Seen(string path, int count)
    {
        using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        byte[] content = new byte[count];
        stream.ReadExactly(content);
        return content;
    }

    private static string? Outcome(Action call) => Name(Record.Exception(call));

    private static async Task<(T? Result, string? Error)> TryAsync<T>(Func<ValueTask<T>> call)
        where T : struct
    {
        try
        {
            return (await call(), null);
        }
        catch (Exception e)
        {
            return (null, Name(e));
        }
    }

    private static string? Name(Exception? error) => error is OperationCanceledException ? "cancelled" : error?.GetType().Name;
}
