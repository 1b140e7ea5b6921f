using Shouldly;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Conformance;

/// <summary>Many at once, on one handle and on several.</summary>
internal static class SharedChecks
{
    public static async Task Appends_land_where_they_say(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle first = target.Open(file);
        using SluiceHandle second = target.Open(file);
        first.AppendAndGetOffset("head!"u8).ShouldBe(0);
        List<(long Offset, byte[] Bytes)>[] landed = await Task.WhenAll(Enumerable.Range(0, 6).Select(worker => Task.Run(async () =>
        {
            List<(long, byte[])> mine = [];
            SluiceHandle handle = worker % 2 == 0 ? first : second;
            for (int i = 0; i < 40; i++)
            {
                byte[] bytes = Pattern.Bytes(worker * 1000 + i, 1 + (worker * 977 + i * 331) % 6000);
                mine.Add((i % 2 == 0 ? handle.AppendAndGetOffset(bytes) : await handle.AppendAndGetOffsetAsync(bytes), bytes));
            }

            return mine;
        })));

        byte[] content = file.Content;
        long end = 5;
        foreach ((long offset, byte[] bytes) in landed.SelectMany(static l => l).OrderBy(static l => l.Offset))
        {
            offset.ShouldBe(end);
            FileModel.ShouldMatch(content.AsSpan((int)offset, bytes.Length), bytes, $"record at {offset}");
            end += bytes.Length;
        }

        content.Length.ShouldBe((int)end);
        first.Length.ShouldBe(end);
        byte[] read = new byte[content.Length];
        first.Read(read, 0).ShouldBe(read.Length);
        FileModel.ShouldMatch(read, content, "read back");
    }

    /// <summary>Records of 1,000 bytes share blocks with their neighbours, which other writers write at the same time.</summary>
    public static async Task Writers_of_neighbouring_bytes_keep_apart(ConformanceTarget target)
    {
        const int writers = 6;
        const int records = 240;
        const int length = 1000;
        using ScratchFile file = target.NewFile();
        using SluiceHandle first = target.Open(file);
        using SluiceHandle second = target.Open(file);
        FileModel model = new();
        for (int round = 0; round < 3; round++)
        {
            int seed = round * records;
            await Task.WhenAll(Enumerable.Range(0, writers).Select(writer => Task.Run(async () =>
            {
                SluiceHandle handle = writer % 2 == 0 ? first : second;
                for (int i = writer; i < records; i += writers)
                {
                    byte[] bytes = Pattern.Bytes(seed + i, length);
                    long offset = (long)i * length;
                    switch ((i + writer) % 4)
                    {
                        case 0:
                            handle.Write(bytes, offset);
                            break;
                        case 1:
                            await handle.WriteAsync(bytes, offset);
                            break;
                        case 2:
                            await handle.WriteAsync([bytes.AsMemory(0, 313), bytes.AsMemory(313)], offset);
                            break;
                        default:
                            handle.WriteBatch([new WriteRequest(offset + 500, bytes.AsMemory(500)),
                                new WriteRequest(offset, bytes.AsMemory(0, 500))]);
                            break;
                    }
                }
            })));
            for (int i = 0; i < records; i++)
            {
                model.Write(Pattern.Bytes(seed + i, length), i * length);
            }

            FileModel.ShouldMatch(file.Content, model.Content, $"round {round}");
        }

        byte[] read = new byte[model.Length];
        (await second.ReadAsync(read, 0)).ShouldBe(read.Length);
        FileModel.ShouldMatch(read, model.Content, "read back");
    }

    /// <summary>The file ends in a page whose first blocks are being written directly, while others append to its last.</summary>
    public static async Task Appends_beside_writers_of_the_same_page(ConformanceTarget target)
    {
        for (int round = 0; round < 12; round++)
        {
            using ScratchFile file = target.NewFile();
            using SluiceHandle writer = target.Open(file);
            using SluiceHandle appender = target.Open(file);
            FileModel model = new();
            byte[] head = Pattern.Bytes(round, 3072 + round);
            writer.Write(head, 0);
            model.Write(head, 0);
            byte[] blocks = [];
            Task writing = Task.Run(async () =>
            {
                for (int i = 0; i < 30; i++)
                {
                    blocks = Pattern.Bytes(round * 100 + i, 3072);
                    await writer.WriteAsync(blocks, 0);
                }
            });
            Task<byte[]> appending = Task.Run(async () =>
            {
                List<byte> all = [];
                for (int i = 0; i < 60; i++)
                {
                    byte[] bytes = Pattern.Bytes(i, 1 + i * 7);
                    (await appender.AppendAndGetOffsetAsync(bytes)).ShouldBe(head.Length + all.Count);
                    all.AddRange(bytes);
                }

                return all.ToArray();
            });
            await writing;
            model.Append(await appending);
            model.Write(blocks, 0);
            FileModel.ShouldMatch(file.Content, model.Content, $"round {round}");
        }
    }

    /// <summary>xfs reserves space behind the end for cached writes, and fails direct reads that meet it.</summary>
    public static async Task Reads_past_the_end_beside_appends(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        byte[] expected = Pattern.Bytes(9, 600_000);
        int end = 73_664;
        handle.Write(expected.AsSpan(0, end), 0);
        handle.FlushToDisk();
        handle.SetLength(101_888);
        expected.AsSpan(end, 102_399 - end).Clear();
        end = 114_688;
        handle.Write(expected.AsSpan(102_399, end - 102_399), 102_399);
        byte[] read = new byte[360_000];
        handle.Read(read, 0).ShouldBe(end);
        FileModel.ShouldMatch(read.AsSpan(0, end), expected.AsSpan(0, end), "behind an edge");
        int published = end;
        Task appending = Task.Run(async () =>
        {
            for (int i = 0; published + 3000 < expected.Length; i++)
            {
                int length = 1 + i * 37 % 3000;
                await handle.AppendAsync(expected.AsMemory(published, length));
                Volatile.Write(ref published, published + length);
            }
        });
        for (int i = 0; !appending.IsCompleted; i++)
        {
            int known = Volatile.Read(ref published);
            int from = Math.Max(0, known - 200_000) + (i % 2);
            int got = (i % 4) switch
            {
                0 => handle.Read(read, from),
                1 => await handle.ReadAsync(read, from),
                2 => (int)await handle.ReadAsync([read.AsMemory(0, 100_001), read.AsMemory(100_001)], from),
                _ => ReadBatch(from),
            };
            got.ShouldBeGreaterThanOrEqualTo(known - from);
            FileModel.ShouldMatch(read.AsSpan(0, got), expected.AsSpan(from, got), $"read {i} from {from}");
        }

        await appending;

        int ReadBatch(int from)
        {
            ReadRequest[] requests = [new ReadRequest(from, read)];
            handle.ReadBatch(requests);
            return requests[0].BytesRead;
        }
    }

    /// <summary>Block and edge of one page, at the same moment, again and again: without the gate the page's old bytes come back.</summary>
    public static async Task Block_and_edge_of_one_page_keep_apart(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle blocks = target.Open(file);
        using SluiceHandle edges = target.Open(file);
        FileModel model = new();
        model.Write(new byte[4096], 0);
        blocks.Write(model.Content, 0);
        for (int i = 0; i < 400; i++)
        {
            byte[] block = Pattern.Bytes(i, 2048);
            byte[] edge = Pattern.Bytes(-i, 100);
            Task first = Task.Run(async () => await blocks.WriteAsync(block, 0));
            Task second = Task.Run(() => edges.Write(edge, 3001));
            await Task.WhenAll(first, second);
            model.Write(block, 0);
            model.Write(edge, 3001);
            if (i % 8 == 7)
            {
                edges.FlushDataToDisk();
            }

            FileModel.ShouldMatch(file.Content, model.Content, $"step {i}");
        }
    }

    public static async Task Bytes_next_to_a_writer_stay_as_they_are(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        byte[] fixedBytes = Pattern.Bytes(77, 40_000);
        handle.Write(fixedBytes, 0);
        using CancellationTokenSource stop = new();
        Task[] readers = Enumerable.Range(0, 3).Select(reader => Task.Run(async () =>
        {
            // 4,096 and 8,192: aligned, so that some reads pass directly beside the edges being written.
            byte[] buffer = new byte[9000];
            Random random = new(reader);
            while (!stop.IsCancellationRequested)
            {
                int at = reader == 0 ? random.Next(2) * 4096 : random.Next(20_000);
                int length = reader == 0 ? 8192 : random.Next(1, buffer.Length);
                int read = reader == 1 ? handle.Read(buffer.AsSpan(0, length), at) : await handle.ReadAsync(buffer.AsMemory(0, length), at);
                for (int i = 0; i < read; i++)
                {
                    // Only every second kilobyte is written to, always with the value's complement and back.
                    if (((at + i) / 1000) % 2 == 0 && buffer[i] != fixedBytes[at + i])
                    {
                        throw new ShouldAssertException($"byte {at + i} changed under reader {reader}");
                    }
                }

                read.ShouldBe(length);
            }
        })).ToArray();

        try
        {
            byte[] noise = new byte[1000];
            for (int i = 0; i < 300 && !readers.Any(static r => r.IsCompleted); i++)
            {
                Array.Fill(noise, (byte)i);
                await handle.WriteAsync(noise, (2 * (i % 20) + 1) * 1000);
            }
        }
        finally
        {
            await stop.CancelAsync();
        }

        await Task.WhenAll(readers);
    }
}
