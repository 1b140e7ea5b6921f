using Sluice.Engines;
using Sluice.Streams;

namespace Sluice.Tests.Streams;

/// <summary>
/// A stream of an uncached or direct file that goes to and fro, or is flushed again and again: what it meets again soon is kept in the page
/// cache, which everybody sees, and only there, and not for long.
/// </summary>
[Trait("Tier", "slow")]
public sealed class KeptPagesTests : IDisposable
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
        for (int i = 0; i < 3000; i++)
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
                    if (isAsync)
                    {
                        await stream.WriteAsync(record);
                        await stream.FlushAsync();
                    }
                    else
                    {
                        stream.Write(record);
                        stream.Flush();
                    }

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
        byte[] content = Bytes.Pattern(60_000);
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
        for (int at = 0, step = 0; at < content.Length; step++)
        {
            int length = Math.Min(random.Next(1, 600), content.Length - at);
            if (isAsync)
            {
                await stream.WriteAsync(content.AsMemory(at, length));
                await stream.FlushAsync();
            }
            else
            {
                stream.Write(content, at, length);
                stream.Flush(flushToDisk: step % 40 == 0);
            }

            at += length;
            RandomAccess.Read(reader.SafeFileHandle, seen, 0).ShouldBe(at);
            seen.AsSpan(0, at).ToArray().ShouldBeBytes(content.AsSpan(0, at));
            int before = Math.Max(at - 5000, 0);
            direct.Read(seen, before).ShouldBe(at - before);
            seen.AsSpan(0, at - before).ToArray().ShouldBeBytes(content.AsSpan(before, at - before));
        }
    }

    [SkippableFact]
    public void Small_transfers_of_a_direct_stream_that_goes_to_and_fro_are_counted_as_edges()
    {
        using SluiceStream stream = Open(_temp.NewFile(1_000_000), FileCaching.Direct, FileAccess.Read, 4096);
        byte[] record = new byte[Record];
        for (int i = 0; i < 60; i++)
        {
            stream.Position = i % 3 * 299_008;
            stream.ReadExactly(record);
        }

        stream.SluiceHandle.EdgeTransfers.ShouldBe(
            52, "the first is no jump, four may be an accident, and each of three places has to be met first");
    }

    /// <summary>A record as large as a stream's first window goes past it into the caller's memory.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Records_as_large_as_a_window_are_kept_as_smaller_ones_are(bool isAsync)
    {
        await using SluiceStream stream = Open(_temp.NewFile(1_000_000), FileCaching.Direct, FileAccess.Read);
        byte[] record = new byte[2 * AdaptiveSize.Start];
        for (int i = 0; i < 60; i++)
        {
            await ReadAsync(stream, i % 3 * 299_008, record, isAsync);
        }

        stream.SluiceHandle.EdgeTransfers.ShouldBe(52);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_never_comes_back_leaves_nothing_and_is_alone_at_no_gate(bool isAsync)
    {
        string path = _temp.NewFile(400 * 4096);
        await using SluiceStream stream = Open(path, FileCaching.Direct, FileAccess.Read, 4096);
        Internals.Drop(stream.SluiceHandle);
        byte[] record = new byte[Record];
        for (int i = 0; i < 400; i++)
        {
            await ReadAsync(stream, i * 173 % 400 * 4096, record, isAsync);
        }

        stream.SluiceHandle.EdgeTransfers.ShouldBe(0);
        Native.PagesInCache(path).ShouldBe(0);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_window_that_is_full_goes_past_the_cache_however_small_it_is(bool isAsync)
    {
        string path = _temp.NewPath();
        byte[] content = Bytes.Pattern(50 * 4096);
        await using (SluiceStream stream = new(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Caching = FileCaching.Direct,
            BufferSize = 4096,
        }))
        {
            SkipUnless(stream, FileCaching.Direct);
            for (int at = 0; at < content.Length; at += 1024)
            {
                if (isAsync)
                {
                    await stream.WriteAsync(content.AsMemory(at, 1024));
                }
                else
                {
                    stream.Write(content, at, 1024);
                }
            }

            await stream.FlushAsync();
            stream.SluiceHandle.EdgeTransfers.ShouldBe(0);
        }

        File.ReadAllBytes(path).ShouldBeBytes(content);
    }

    [SkippableFact]
    public void Nothing_is_kept_of_file_systems_where_that_was_not_tried()
    {
        Skip.IfNot(Directory.Exists("/dev/shm"), "no /dev/shm here");
        string path = $"/dev/shm/sluice-{Guid.NewGuid():N}";
        using SluiceStream stream = new(path, new SluiceOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Caching = FileCaching.Uncached,
            Options = FileOptions.DeleteOnClose,
        });
        Skip.If(stream.SluiceHandle.Caching != FileCaching.Uncached, stream.SluiceHandle.CachingReason);
        byte[] content = Bytes.Pattern(100_000);
        stream.Write(content);
        byte[] record = new byte[Record];
        for (int i = 0; i < 60; i++)
        {
            stream.Position = i % 3 * 30_000;
            stream.ReadExactly(record);
            record.ShouldBeBytes(content.AsSpan(i % 3 * 30_000, Record));
        }

        stream.SluiceHandle.Kept.ShouldBeNull();
    }

    [SkippableTheory]
    [InlineData(FileCaching.Uncached)]
    [InlineData(FileCaching.Direct)]
    public void A_stream_that_goes_through_a_file_in_order_keeps_nothing(FileCaching caching)
    {
        string path = _temp.NewFile(200_000);
        using SluiceStream stream = Open(path, caching, FileAccess.Read);
        Internals.Drop(stream.SluiceHandle);
        while (stream.ReadByte() >= 0)
        {
        }

        stream.SluiceHandle.EdgeTransfers.ShouldBe(0);
        Native.PagesInCache(path).ShouldBe(0);
    }

    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task Of_a_file_that_is_read_here_and_there_little_is_in_the_cache_at_once_and_nothing_at_the_end(
        FileCaching caching, bool isAsync)
    {
        // What another processor has in a batch of its own the kernel does not drop: up to 15 pages, and more where others keep it busy.
        // So on a busy machine it is seen once in some tries.
        long left = long.MaxValue;
        for (int attempt = 0; attempt < 20 && left > 15; attempt++)
        {
            left = await ReadHereAndThereAsync(caching, isAsync);
        }

        left.ShouldBeLessThanOrEqualTo(15);
    }

    /// <returns>How many pages are left at the end.</returns>
    private async Task<long> ReadHereAndThereAsync(FileCaching caching, bool isAsync)
    {
        const int step = 48 * 1024;
        int places = 3 * KeptPages.MaxAreas;
        // Not from the file's front on, where the kernel reads ahead.
        const int front = 256 * 1024;
        string path = _temp.NewFile(front + (places * step));
        byte[] record = new byte[Record];
        await using (SluiceStream stream = Open(path, caching, FileAccess.Read))
        {
            Internals.Drop(stream.SluiceHandle);
            for (int i = 1; i <= places; i++)
            {
                // Each place twice within three reads.
                await ReadAsync(stream, front + ((long)(i * 5 % places) * step), record, isAsync);
                await ReadAsync(stream, front + ((long)((i - 1) * 5 % places) * step), record, isAsync);
            }

            // A read meets one page or two, and each area here has one place or two.
            Native.PagesInCache(path).ShouldBeInRange(1, 4 * KeptPages.MaxAreas);
            for (int i = 0; i < 3; i++)
            {
                await ReadAsync(stream, front + ((long)(places * 5 % places) * step), record, isAsync);
                await ReadAsync(stream, front + ((long)((places - 1) * 5 % places) * step), record, isAsync);
            }
        }

        return Native.PagesInCache(path);
    }

    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task What_others_had_in_the_cache_stays_there(FileCaching caching, bool isAsync)
    {
        string path = _temp.NewFile(1_000_000);
        long before = Native.PagesInCache(path);
        Skip.If(before < 100, "the file system does not keep what was written");
        byte[] record = new byte[Record];
        await using (SluiceStream stream = Open(path, caching, FileAccess.Read))
        {
            for (int i = 0; i < 400; i++)
            {
                // Twenty places, five times each, then twenty others.
                await ReadAsync(stream, ((i % 20) + (i / 100 * 20)) * 7919 % 900_000, record, isAsync);
            }
        }

        // A direct read before the first turns drops nothing; a page in a thousand may go for the kernel's own reasons.
        Native.PagesInCache(path).ShouldBeGreaterThanOrEqualTo(before - 2);
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

    private static SluiceStream Open(string path, FileCaching caching, FileAccess access, int bufferSize = SluiceOptions.Adaptive)
    {
        SluiceStream stream = new(path, new SluiceOptions
        {
            Access = access,
            Mode = FileMode.Open,
            Share = FileShare.ReadWrite,
            Caching = caching,
            BufferSize = bufferSize,
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

        if (stream.SluiceHandle.Kept is null)
        {
            stream.Dispose();
            Skip.If(true, "of a file of this file system nothing is kept");
        }
    }
}
