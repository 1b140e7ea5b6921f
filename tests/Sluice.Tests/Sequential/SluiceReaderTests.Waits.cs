using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Sequential;

// Waits that end early: by a token, by Dispose, by the end of a pipe.
public sealed partial class SluiceReaderTests
{
    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_cancelled_wait_loses_nothing(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(120_000);
        using SluiceReader reader = SequentialCases.Reader(_temp.NewFile(content), engine, caching, 4096, 4);
        MemoryStream read = new();
        Random random = new(3);
        int cancelled = 0;
        while (true)
        {
            using CancellationTokenSource source = new();
            ValueTask<ReadOnlyMemory<byte>> task = default;
            try
            {
                if (random.Next(4) == 0)
                {
                    source.Cancel();
                }

                task = reader.ReadBlockAsync(source.Token);
                if (random.Next(2) == 0)
                {
                    source.Cancel();
                }

                ReadOnlyMemory<byte> block = await task;
                if (block.IsEmpty)
                {
                    break;
                }

                read.Write(block.Span);
            }
            catch (OperationCanceledException)
            {
                cancelled++;
            }
        }

        cancelled.ShouldBeGreaterThan(0);
        read.ToArray().ShouldBeBytes(content);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task Dispose_with_reads_in_flight_is_safe(string engine, FileCaching caching)
    {
        string path = _temp.NewFile(300_000);
        for (int i = 0; i < 30; i++)
        {
            SluiceReader reader = SequentialCases.Reader(path, engine, caching, 4096, 8);
            if (i % 2 == 0)
            {
                _ = reader.BlockOrEmpty();
            }

            ValueTask<ReadOnlyMemory<byte>> task = reader.ReadBlockAsync();
            reader.Dispose();
            try
            {
                _ = await task;
            }
            catch (ObjectDisposedException)
            {
                // It had to wait, and was told.
            }

            Should.Throw<ObjectDisposedException>(() => reader.BlockOrEmpty().Length);
            reader.Dispose();

            // Closed by the last transfer that ends.
            SpinWait.SpinUntil(() => reader.SluiceHandle.SafeFileHandle.IsClosed, TimeSpan.FromMinutes(2)).ShouldBeTrue();
        }
    }

    [SkippableTheory]
    [InlineData("own")]
    [InlineData("pool")]
    public async Task A_pipe_is_read_until_it_ends(string engine)
    {
        (SafeFileHandle readEnd, SafeFileHandle writeEnd) = Native.Pipe();
        using SluiceHandle handle = SluiceHandle.FromSafeFileHandle(readEnd, FileAccess.Read, ownsHandle: true);
        byte[] content = Bytes.Pattern(150_000);
        Task writing = Task.Run(() =>
        {
            using FileStream stream = new(writeEnd, FileAccess.Write, 0);
            for (int i = 0; i < content.Length; i += 1000)
            {
                stream.Write(content, i, 1000);
            }
        });
        using IDisposable scope = IoEngine.UseForCurrentContext(SequentialCases.Engine(engine) ?? SluiceEngines.Default);
        using SluiceReader reader = new(handle, ownsHandle: false);
        (engine == "own" ? ReadAll(reader) : await ReadAllAsync(reader)).ShouldBeBytes(content);
        await writing;
    }

    [SkippableFact]
    public async Task Disposing_ends_a_wait_for_a_pipe()
    {
        (SafeFileHandle readEnd, SafeFileHandle writeEnd) = Native.Pipe();
        using FileStream writer = new(writeEnd, FileAccess.Write, 0);
        SluiceReader reader = new(SluiceHandle.FromSafeFileHandle(readEnd, FileAccess.Read, ownsHandle: true));
        ValueTask<ReadOnlyMemory<byte>> task = reader.ReadBlockAsync();
        task.IsCompleted.ShouldBeFalse();
        reader.Dispose();
        await Should.ThrowAsync<ObjectDisposedException>(() => task.AsTask().WaitAsync(TimeSpan.FromMinutes(1)));

        // Without a ring a thread reads on, into memory that nobody else has meanwhile.
        using SluiceReader other = new(_temp.NewFile(100_000));
        Memory<byte> block = MemoryMarshal.AsMemory(await other.ReadBlockAsync());
        byte[] content = block.ToArray();
        _ = Record.Exception(() => writer.Write(Bytes.Pattern(1000, 7)));
        SpinWait.SpinUntil(() => reader.SluiceHandle.SafeFileHandle.IsClosed, TimeSpan.FromMinutes(1)).ShouldBeTrue();
        block.ShouldBeBytes(content);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_token_ends_every_call_that_waits(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(70_000);
        string path = _temp.NewFile(content);
        using CancellationTokenSource source = new();
        CancellationToken token = source.Token;
        using SluiceReader reader = SequentialCases.Reader(path, engine, caching, 4096);
        reader.ReadRecord<long>(token);
        await source.CancelAsync();
        long before = -1;
        Should.Throw<OperationCanceledException>(() =>
        {
            while (true)
            {
                before = reader.Position;
                reader.ReadRecord<long>(token);
            }
        });
        reader.Position.ShouldBe(before);
        foreach (Action call in (Action[])
            [() => reader.ReadExactly(new byte[100], token), () => reader.EnumerateLines(token).GetEnumerator().MoveNext(),
                () => reader.EnumerateRecordBatches<long>(token).GetEnumerator().MoveNext(), () =>
                    reader.ReadStringLines(null, token).Count().ShouldBe(0),
                () => reader.ReadRecord<long>(token), () => reader.TryReadBlock(out _, token)])
        {
            Should.Throw<OperationCanceledException>(call);
        }

        foreach (Func<Task> call in (Func<Task>[])
            [async () => await reader.ReadBlockAsync(token),
                async () => await reader.EnumerateLinesAsync(token).GetAsyncEnumerator().MoveNextAsync()])
        {
            await Should.ThrowAsync<OperationCanceledException>(call);
        }

        // Nothing was lost.
        byte[] rest = new byte[content.Length - (int)reader.Position];
        int from = (int)reader.Position;
        reader.ReadExactly(rest);
        rest.ShouldBeBytes(content.AsSpan(from));
    }
}
