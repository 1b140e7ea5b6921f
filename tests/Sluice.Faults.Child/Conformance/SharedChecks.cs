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
}
