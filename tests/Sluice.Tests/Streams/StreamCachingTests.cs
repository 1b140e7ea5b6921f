namespace Sluice.Tests.Streams;

/// <summary>An uncached or direct stream and other users of the same file see each other's bytes.</summary>
public sealed class StreamCachingTests : IDisposable
{
    private const int Record = 100;

    private readonly TempFolder _temp = new();

    public static TheoryData<FileCaching, bool> Ways => new()
    {
        { FileCaching.Uncached, false },
        { FileCaching.Uncached, true },
        { FileCaching.Direct, false },
        { FileCaching.Direct, true },
    };

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task Records_at_random_are_those_of_the_file_whoever_writes_them(FileCaching caching, bool isAsync)
    {
        const int count = 5000;
        byte[] model = Bytes.Pattern(count * Record);
        string path = _temp.NewFile(model);
        await using SluiceStream stream = Open(path, caching, FileAccess.ReadWrite);
        using SluiceHandle direct =
            SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, caching: FileCaching.Direct);
        using FileStream other = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, 0);
        Random random = new(19);
        byte[] record = new byte[Record];
        for (int i = 0; i < 500; i++)
        {
            int at = random.Next(count) * Record;
            switch (random.Next(5))
            {
                case 0 or 1:
                    // Another place first: a window that is still there may be older than the file, as FileStream's.
                    await ReadAsync(stream, (at + (model.Length / 2)) % model.Length, record, isAsync);
                    await ReadAsync(stream, at, record, isAsync);
                    record.ShouldBeBytes(model.AsSpan(at, Record), $"step {i}, the stream at {at}:");
                    break;
                case 2:
                    random.NextBytes(record);
                    stream.Position = at;
                    await stream.WriteAsync(record, isAsync);
                    await stream.FlushAsync(isAsync);

                    record.CopyTo(model, at);
                    (RandomAccess.Read(other.SafeFileHandle, record, at), direct.Read(new byte[Record], at)).ShouldBe((Record, Record));
                    record.ShouldBeBytes(model.AsSpan(at, Record), $"step {i}, another reader at {at}:");
                    break;
                case 3:
                    random.NextBytes(record);
                    RandomAccess.Write(other.SafeFileHandle, record, at);
                    record.CopyTo(model, at);
                    break;
                default:
                    int block = at & -4096;
                    byte[] blocks = new byte[Math.Min(2 * 4096, model.Length - block) & -4096];
                    random.NextBytes(blocks);
                    direct.Write(blocks, block);
                    blocks.CopyTo(model, block);
                    break;
            }
        }

        stream.Dispose();
        File.ReadAllBytes(path).ShouldBeBytes(model);
    }

    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task What_is_flushed_again_and_again_is_in_the_file_each_time(FileCaching caching, bool isAsync)
    {
        string path = _temp.NewPath();
        byte[] content = Bytes.Pattern(20_000);
        await using SluiceStream stream = new(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Share = FileShare.ReadWrite,
            Caching = caching,
        });
        SkipUnless(stream, caching);
        using FileStream reader = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, 0);
        using SluiceHandle direct =
            SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, caching: FileCaching.Direct);
        byte[] seen = new byte[content.Length + 1];
        Random random = new(7);
        for (int at = 0; at < content.Length;)
        {
            int length = Math.Min(random.Next(1, 600), content.Length - at);
            await stream.WriteAsync(content.AsMemory(at, length), isAsync);
            await stream.FlushAsync(isAsync);

            at += length;
            RandomAccess.Read(reader.SafeFileHandle, seen, 0).ShouldBe(at);
            seen.AsSpan(0, at).ToArray().ShouldBeBytes(content.AsSpan(0, at));
            int before = Math.Max(at - 5000, 0);
            direct.Read(seen, before).ShouldBe(at - before);
            seen.AsSpan(0, at - before).ToArray().ShouldBeBytes(content.AsSpan(before, at - before));
        }
    }

    private static async Task ReadAsync(SluiceStream stream, long position, byte[] record, bool isAsync)
    {
        stream.Position = position;
        if (isAsync)
        {
            await stream.ReadExactlyAsync(record);
        }
        else
        {
            stream.ReadExactly(record);
        }
    }

    private static SluiceStream Open(string path, FileCaching caching, FileAccess access)
    {
        SluiceStream stream = new(path, new SluiceOptions
        {
            Access = access,
            Mode = FileMode.Open,
            Share = FileShare.ReadWrite,
            Caching = caching,
        });
        SkipUnless(stream, caching);
        return stream;
    }

    private static void SkipUnless(SluiceStream stream, FileCaching caching)
    {
        if (stream.SluiceHandle.Caching != caching)
        {
            string? reason = stream.SluiceHandle.CachingReason;
            stream.Dispose();
            Skip.If(true, reason);
        }
    }
}
