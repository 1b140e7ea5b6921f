using System.Collections.Concurrent;
using System.Text;
using FsCheck.Fluent;

namespace Sluice.Tests.Sequential;

/// <summary>Several processes share a file: every line is one shard's, whatever the file and the number of shards.</summary>
public sealed class ScanShardTests : IDisposable
{
    private const int Largest = int.MaxValue;

    private readonly TempFolder _temp = new();

    public static TheoryData<string, FileCaching> Cases => SequentialCases.All;

    public static TheoryData<string> Texts =>
    [
        "", "\n", "one line", "one line\n", "a\nb", "\n\n\n\n", "a\r\nb\r\n\r\nlast",
        new string('x', 5000), new string('x', 5000) + "\n" + new string('y', 5000), "a\n" + new string('z', 9000) + "\nb\n",
    ];

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(Cases))]
    public void Every_line_is_one_shards(string engine, FileCaching caching) =>
        LineTexts.Check(Prop.ForAll(LineTexts.Text, text =>
        {
            byte[] content = Encoding.UTF8.GetBytes(text);
            string path = _temp.NewFile(content);
            foreach (int count in (int[])[2, 3, 8])
            {
                CheckLines(path, content, count, index => new SluiceScanOptions
                {
                    Shard = new Shard(index, count),
                    PartSize = 300 + (100 * index),
                    Degree = 2,
                    Caching = caching,
                    Engine = SequentialCases.Engine(engine),
                });
            }

            File.Delete(path);
        }), tests: 4);

    [Theory]
    [MemberData(nameof(Texts))]
    public void Odd_files_are_shared_too(string text)
    {
        byte[] content = Encoding.UTF8.GetBytes(text);
        string path = _temp.NewFile(content);
        foreach (int count in (int[])[1, 2, 17])
        {
            CheckLines(path, content, count, index => new SluiceScanOptions { Shard = new Shard(index, count), PartSize = 1 + index });
        }
    }

    /// <summary>The line ends at, before and behind every border of stripes: each offset is one once.</summary>
    [Fact]
    public void A_delimiter_may_be_anywhere()
    {
        for (int length = 1; length < 40; length++)
        {
            byte[] line = [.. Enumerable.Repeat((byte)'x', length - 1), (byte)'|'];
            byte[] content = [.. Enumerable.Repeat(line, 6000 / length).SelectMany(l => l)];
            string path = _temp.NewFile(content);
            CheckLines(path, content, 3, index => new SluiceScanOptions
            {
                Shard = new Shard(index, 3),
                Delimiter = (byte)'|',
                Degree = 1 + (index % 2),
            }, '|');
            File.Delete(path);
        }
    }

    [Fact]
    public void Every_record_is_one_shards()
    {
        byte[] content = Bytes.Pattern(24 * 5000);
        string path = _temp.NewFile(content);
        foreach (int count in (int[])[1, 2, 7])
        {
            SortedDictionary<long, byte[]> parts = [];
            for (int index = 0; index < count; index++)
            {
                SluiceScanOptions options = new() { RecordSize = 24, PartSize = 1000 * (index + 1), Shard = new Shard(index, count) };
                foreach ((long offset, byte[] bytes) in Run(path, options))
                {
                    (offset % 24).ShouldBe(0);
                    (bytes.Length % 24).ShouldBe(0);
                    parts.Add(offset, bytes);
                }
            }

            parts.Values.SelectMany(p => p).ToArray().ShouldBeBytes(content);
        }
    }

    /// <summary>All of 2,147,483,647 shards are there: those that have nothing say so at once.</summary>
    [Fact]
    public void There_may_be_more_shards_than_bytes()
    {
        string path = _temp.NewFile("a\nb\nc\n"u8.ToArray());
        Run(path, new SluiceScanOptions { Shard = new Shard(0, Largest) }).Single().Bytes.ShouldBeBytes("a\nb\nc\n"u8.ToArray());
        foreach (int index in (int[])[1, 1000, Largest - 1])
        {
            Run(path, new SluiceScanOptions { Shard = new Shard(index, Largest) }).ShouldBeEmpty();
        }
    }

    [Fact]
    public void Each_shard_has_about_its_share()
    {
        const int count = 4;
        const long length = 64 << 20;
        string path = _temp.NewFile([]);
        using (FileStream file = new(path, FileMode.Open))
        {
            file.SetLength(length);
        }

        long all = 0;
        for (int index = 0; index < count; index++)
        {
            SluiceScanOptions options = new() { RecordSize = 64, Shard = new Shard(index, count) };
            long bytes = SluiceReader.ScanAsync(path, part => (long)part.Bytes.Length, options).ToBlockingEnumerable().Sum();
            bytes.ShouldBeInRange(length / count * 3 / 4, length / count * 5 / 4);
            all += bytes;
        }

        all.ShouldBe(length);
    }

    [Fact]
    public void Parts_of_a_shard_come_in_order()
    {
        string path = _temp.NewFile(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Range(0, 400_000).Select(i => $"{i}\n"))));
        List<long> told = [];
        List<(long Offset, byte[] Bytes)> parts = Run(path, new SluiceScanOptions
        {
            Shard = new Shard(1, 3),
            Degree = 4,
            PartSize = 1000,
            Progress = new LockedProgress(told),
        });
        parts.Count.ShouldBeGreaterThan(3);
        parts.Select(p => p.Offset).ShouldBeInOrder(SortDirection.Ascending);
        told.Count.ShouldBeGreaterThanOrEqualTo(parts.Count);
        told.Max().ShouldBeInRange(1, new FileInfo(path).Length / 2);
    }

    /// <summary>A shard that begins when the file is longer, or has another end, cuts it where the others did.</summary>
    [Fact]
    public void A_file_that_grows_between_the_shards_is_scanned_once()
    {
        const int count = 5;
        string path = _temp.NewFile([]);
        ConcurrentDictionary<string, int> seen = [];
        List<string> first = [];
        for (int index = 0; index < count; index++)
        {
            IEnumerable<string> more = Enumerable.Range(index * 1000, 1000).Select(i => $"line {i}");
            first = index == 0 ? [.. more] : first;

            // The last line has no end yet; the next shard sees it with one.
            File.AppendAllText(path, (index == 0 ? "" : "\n") + string.Join('\n', more));
            foreach ((_, byte[] bytes) in Run(path, new SluiceScanOptions { Shard = new Shard(index, count) }))
            {
                foreach (string line in Encoding.UTF8.GetString(bytes).TrimEnd('\n').Split('\n'))
                {
                    seen.AddOrUpdate(line, 1, (_, times) => times + 1);
                }
            }
        }

        seen.ShouldAllBe(line => line.Value == 1);
        first.ShouldAllBe(line => seen.ContainsKey(line));
    }

    [Fact]
    public void A_file_that_is_cut_while_a_shard_is_scanned_is_an_error()
    {
        string path = _temp.NewFile(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("line\n", 20_000))));
        Should.Throw<EndOfStreamException>(() => SluiceReader.ScanAsync(path, Cut, new SluiceScanOptions
        {
            Shard = new Shard(0, 2),
            PartSize = 100,
            Degree = 1,
        }).ToBlockingEnumerable().ToList());

        int Cut(ScanPart part)
        {
            using FileStream file = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
            file.SetLength(600);
            return part.Bytes.Length;
        }
    }

    private static List<(long Offset, byte[] Bytes)> Run(string path, SluiceScanOptions options) =>
        [.. SluiceReader.ScanAsync(path, part => (part.Offset, part.Bytes.ToArray()), options).ToBlockingEnumerable()];

    /// <summary>The parts of all shards, put together by their offsets, are the file, and each begins where a line does.</summary>
    private static void CheckLines(
        string path, byte[] content, int count, Func<int, SluiceScanOptions> options, char delimiter = '\n')
    {
        SortedDictionary<long, byte[]> parts = [];
        for (int index = 0; index < count; index++)
        {
            foreach ((long offset, byte[] bytes) in Run(path, options(index)))
            {
                bytes.Length.ShouldBeGreaterThan(0);
                parts.Add(offset, bytes);
            }
        }

        long at = 0;
        foreach ((long offset, byte[] bytes) in parts)
        {
            offset.ShouldBe(at);
            at += bytes.Length;
            (at == content.Length || bytes[^1] == delimiter).ShouldBeTrue();
        }

        parts.Values.SelectMany(p => p).ToArray().ShouldBeBytes(content, $"{count} shards");
    }

    private sealed class LockedProgress(List<long> told) : IProgress<long>
    {
        public void Report(long value)
        {
            lock (told)
            {
                told.Add(value);
            }
        }
    }
}
