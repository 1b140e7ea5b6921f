using Sluice.Tests.Shared;

namespace Sluice.Tests.Streams;

/// <summary>Closing a stream beside its own operations: right bytes or ObjectDisposedException, and no byte of another file.</summary>
[Collection(AloneCollection.Name)]
public sealed class StreamClosingTests : AccountedTests, IDisposable
{
    private const byte Mine = 0xAA;
    private const byte Others = 0xBB;

    /// <summary>Calls before the stream is closed.</summary>
    private const int FirstCalls = 4;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>What a writing thread does until the stream is closed under it.</summary>
    public static TheoryData<string> Writes => ["span", "byte", "async", "byteAsync"];

    /// <summary>What a reading thread does until the stream is closed under it.</summary>
    public static TheoryData<string> Reads => ["span", "byte", "async", "byteAsync"];

    [Theory]
    [MemberData(nameof(Writes))]
    public async Task A_write_beside_Dispose_reaches_no_other_file(string way)
    {
        byte[] mine = [.. Enumerable.Repeat(Mine, 3_000)];
        byte[] others = [.. Enumerable.Repeat(Others, 100)];
        for (int round = 0; round < 8; round++)
        {
            string path = _temp.NewPath();
            SluiceStream stream = new(path, FileMode.Create);
            using CountdownEvent begun = new(FirstCalls);
            Task<Exception> writer = Task.Run(() => UntilItThrows(() => Write(stream, mine, way), begun));
            begun.Wait();
            stream.Dispose();

            for (int i = 0; i < 36; i++)
            {
                string other = _temp.NewPath();
                using (SluiceStream second = new(other, FileMode.Create))
                {
                    second.Write(others);
                    second.Write(others);
                }

                byte[] found = await File.ReadAllBytesAsync(other);
                found.Length.ShouldBe(2 * others.Length);
                found.AsSpan().IndexOfAnyExcept(Others).ShouldBe(-1, $"round {round}");
                File.Delete(other);
            }

            (await writer).ShouldBeOfType<ObjectDisposedException>();
            (await File.ReadAllBytesAsync(path)).AsSpan().IndexOfAnyExcept(Mine).ShouldBe(-1, $"round {round}");
            File.Delete(path);
        }
    }

    [Theory]
    [MemberData(nameof(Reads))]
    public async Task A_read_beside_Dispose_gives_bytes_of_its_file_or_throws(string way)
    {
        string path = _temp.NewFile([.. Enumerable.Repeat(Mine, 300_000)]);
        string other = _temp.NewFile([.. Enumerable.Repeat(Others, 10_000)]);
        byte[] buffer = new byte[10_000];
        for (int round = 0; round < 20; round++)
        {
            SluiceStream stream = new(path, FileMode.Open, FileAccess.Read);
            using CountdownEvent begun = new(FirstCalls);
            Task<Exception> reader = Task.Run(() => UntilItThrows(() => Read(stream, way), begun));
            begun.Wait();
            stream.Dispose();
            for (int i = 0; i < 36; i++)
            {
                using SluiceStream second = new(other, FileMode.Open, FileAccess.Read);
                second.ReadAtLeast(buffer.AsSpan(0, 300), 300);
            }

            (await reader).ShouldBeOfType<ObjectDisposedException>();
        }
    }

    [Theory]
    [InlineData(false, 4096)]
    [InlineData(true, 4096)]
    [InlineData(false, SluiceOptions.Adaptive)]
    [InlineData(true, SluiceOptions.Adaptive)]
    public async Task Closing_does_not_wait_for_a_read_that_never_ends(bool isAsync, int bufferSize)
    {
        ManualEngine engine = new();
        string path = _temp.NewFile(20_000);
        SluiceStream stream = new(path, new SluiceOptions { BufferSize = bufferSize, Engine = engine, Caching = FileCaching.Direct });
        ValueTask<int> first = stream.ReadAsync(new byte[100]);
        first.IsCompleted.ShouldBeFalse();
        Task<int> second = stream.ReadAsync(new byte[100]).AsTask();
        await stream.CloseAsync(isAsync);

        stream.CanRead.ShouldBeFalse();
        Should.Throw<ObjectDisposedException>(() => stream.Read(new byte[1]));
        first.IsCompleted.ShouldBeFalse();
        engine.Complete(0);
        (await first).ShouldBe(0);
        await Should.ThrowAsync<ObjectDisposedException>(() => second);
        OpenFiles.Of(path).ShouldBeEmpty();
    }

    [Fact]
    public async Task Closing_waits_for_a_flush_in_progress()
    {
        ManualEngine engine = new();
        SluiceStream stream = new(_temp.NewPath(), new SluiceOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.Write,
            BufferSize = 4096,
            Engine = engine,
        });
        await stream.WriteAsync(new byte[100]);
        Task flush = stream.FlushAsync();
        Task closing = stream.DisposeAsync().AsTask();
        flush.IsCompleted.ShouldBeFalse();
        closing.IsCompleted.ShouldBeFalse();
        engine.Complete(100);
        await flush;
        await closing;
    }

    private static ValueTask Write(SluiceStream stream, byte[] bytes, string way)
    {
        switch (way)
        {
            case "span":
                // Small ones: most are put into the window without a lock.
                stream.Write(bytes.AsSpan(0, 100));
                return default;
            case "byte":
                stream.WriteByte(bytes[0]);
                return default;
            case "async":
                return stream.WriteAsync(bytes);
            default:
                return stream.WriteByteAsync(bytes[0]);
        }
    }

    private static async ValueTask Read(SluiceStream stream, string way)
    {
        byte[] buffer = new byte[3_000];
        int bytes = way switch
        {
            "span" => stream.Read(buffer),
            "byte" => stream.ReadByte(),
            "async" => await stream.ReadAsync(buffer),
            _ => await stream.ReadByteAsync(),
        };
        if (way.StartsWith("byte", StringComparison.Ordinal))
        {
            bytes.ShouldBeOneOf(Mine, -1);
        }
        else
        {
            buffer.AsSpan(0, bytes).IndexOfAnyExcept(Mine).ShouldBe(-1);
        }

        if (bytes is 0 or -1)
        {
            stream.Position = 0;
        }
    }

    private static Exception UntilItThrows(Func<ValueTask> action, CountdownEvent begun)
    {
        try
        {
            while (true)
            {
                action().AsTask().GetAwaiter().GetResult();
                if (!begun.IsSet)
                {
                    begun.Signal();
                }
            }
        }
        catch (Exception e)
        {
            if (!begun.IsSet)
            {
                begun.Signal(begun.CurrentCount);
            }

            return e;
        }
    }
}
