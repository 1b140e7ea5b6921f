using System.Text;
using FsCheck.Fluent;

namespace Sluice.Tests.Sequential;

public sealed class LineTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<string, FileCaching> Cases => SequentialCases.All;

    public static TheoryData<string> Encodings =>
        ["utf-8", "utf-8-bom", "utf-16", "utf-16BE", "utf-32", "utf-32BE", "latin1", "us-ascii", "windows"];

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(Cases))]
    public void Byte_lines_are_those_of_StreamReader(string engine, FileCaching caching) =>
        LineTexts.Check(Prop.ForAll(LineTexts.Text, text =>
        {
            byte[] content = Encoding.UTF8.GetBytes(text);
            string path = _temp.NewFile(content);
            List<string> expected = LineTexts.LinesOf(content);
            foreach (int size in RequestSizes(content.Length))
            {
                Lines(path, engine, caching, size).ShouldBe(expected, $"request size {size}");
                LinesAsync(path, engine, caching, size).GetAwaiter().GetResult().ShouldBe(expected, $"asynchronous, request size {size}");
            }

            File.Delete(path);
        }), tests: engine == "own" && caching == FileCaching.Cached ? 50 : 10);

    [Theory]
    [MemberData(nameof(Encodings))]
    public void String_lines_are_those_of_File_ReadLines(string name)
    {
        Encoding encoding = name switch
        {
            "utf-8" => new UTF8Encoding(false),
            "utf-8-bom" => new UTF8Encoding(true),
            "utf-16BE" => Encoding.BigEndianUnicode,
            "utf-32BE" => new UTF32Encoding(true, true),
            "windows" => new UnicodeEncoding(false, false),
            _ => Encoding.GetEncoding(name),
        };
        LineTexts.Check(Prop.ForAll(LineTexts.Text, text =>
        {
            byte[] content = [.. encoding.Preamble, .. encoding.GetBytes(text)];
            string path = _temp.NewFile(content);
            foreach (Encoding? given in (Encoding?[])[encoding, null, Encoding.Latin1])
            {
                List<string> expected = [.. given is null ? File.ReadLines(path) : File.ReadLines(path, given)];
                foreach (int size in (int[])[0, 7, 64])
                {
                    using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Cached, size);
                    reader.ReadStringLines(given).ToList().ShouldBe(expected, $"{given?.WebName}, request size {size}");
                }

                // What decodes the bytes does not know which engine brought them.
                foreach ((string engine, FileCaching caching) in Equals(given, encoding)
                    ? SequentialCases.Each.Where(static c => c.Caching == FileCaching.Direct) : [])
                {
                    using SluiceReader reader = SequentialCases.Reader(path, engine, caching, 512, depth: 2);
                    reader.ReadStringLines(given).ToList().ShouldBe(expected, $"{given?.WebName}, {engine}, {caching}");
                }

                AsyncStrings(path, given).GetAwaiter().GetResult().ShouldBe(expected);
            }

            File.Delete(path);
        }), tests: 6);
    }

    [Fact]
    public void Bytes_that_are_no_text_decode_as_in_File_ReadLines() =>
        LineTexts.Check(Prop.ForAll(LineTexts.Raw, content =>
        {
            string path = _temp.NewFile(content);
            foreach (Encoding given in (
                Encoding[])[Encoding.UTF8, new UTF8Encoding(false), Encoding.ASCII, Encoding.Unicode, Encoding.UTF32])
            {
                List<string> expected = [.. File.ReadLines(path, given)];
                foreach (int size in (int[])[0, 1, 3, 64])
                {
                    using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Cached, size);
                    reader.ReadStringLines(given).ToList().ShouldBe(expected, $"{given.WebName}, request size {size}");
                }
            }

            foreach ((string engine, FileCaching caching) in SequentialCases.Each)
            {
                using SluiceReader reader = SequentialCases.Reader(path, engine, caching, 512, depth: 2);
                reader.ReadStringLines(Encoding.UTF8).ToList().ShouldBe([.. File.ReadLines(path, Encoding.UTF8)], $"{engine}, {caching}");
            }

            File.Delete(path);
        }), tests: 30);

    [Fact]
    public void Lines_may_begin_in_the_middle_where_a_mark_is_text()
    {
        byte[] content = [.. "x\n"u8, 0xEF, 0xBB, 0xBF, .. "y\n"u8];
        using SluiceReader reader = SequentialCases.Reader(_temp.NewFile(content), "own", FileCaching.Cached, offset: 2);
        reader.TryReadLine(out ReadOnlySpan<byte> line).ShouldBeTrue();
        line.ToArray().ShouldBe([0xEF, 0xBB, 0xBF, (byte)'y']);
        reader.Seek(0);
        reader.TryReadLine(out line).ShouldBeTrue();
        line.ToArray().ShouldBe("x"u8.ToArray());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_byte_order_mark_counts_only_at_the_start_of_the_file(bool isAsync)
    {
        foreach (byte[] mark in (byte[][])[[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF], [0xFF, 0xFE, 0, 0]])
        {
            byte[] text = [.. mark, .. "y\nz\n"u8];
            using SluiceReader reader = SequentialCases.Reader(_temp.NewFile([.. "x\n"u8, .. text]), "own", FileCaching.Cached, 3);
            reader.TryReadLine(out _).ShouldBeTrue();
            List<string> lines = [];
            if (isAsync)
            {
                await foreach (string line in reader.ReadStringLinesAsync(Encoding.Latin1))
                {
                    lines.Add(line);
                }
            }
            else
            {
                lines = [.. reader.ReadStringLines(Encoding.Latin1)];
            }

            lines.ShouldBe([Encoding.Latin1.GetString(mark) + "y", "z"], Convert.ToHexString(mark));
        }
    }

    /// <summary>Also where a line was asked for at the start, in vain.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_looks_like_a_mark_behind_the_start_of_the_file_is_text(bool isCancelled)
    {
        byte[] content = [1, 0, 0, 0, 0xEF, 0xBB, 0xBF, .. "a\n"u8];
        string path = _temp.NewFile(isCancelled ? content : []);
        using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Cached);
        if (isCancelled)
        {
            Should.Throw<OperationCanceledException>(() => reader.TryReadLine(out _, new CancellationToken(canceled: true)));
        }
        else
        {
            reader.TryReadLine(out _).ShouldBeFalse();
            using FileStream grown = new(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite);
            grown.Write(content);
        }

        reader.ReadRecord<int>().ShouldBe(1);
        reader.TryReadLine(out ReadOnlySpan<byte> line).ShouldBeTrue();
        line.ToArray().ShouldBe([0xEF, 0xBB, 0xBF, (byte)'a']);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_follows_a_line_begins_behind_its_end_wherever_blocks_end(bool isAsync)
    {
        // A header of lines, then bytes that begin with an LF of their own, then lines again.
        byte[] content = [.. "head\r\n"u8, .. "\n\r\nx"u8, .. "\r\n\r\nlast\r\n"u8];
        string path = _temp.NewFile(content);
        for (int size = 1; size <= content.Length + 1; size++)
        {
            using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Cached, size);
            reader.TryReadLine(out ReadOnlySpan<byte> line).ShouldBeTrue();
            line.ToArray().ShouldBe("head"u8.ToArray());
            byte[] body = new byte[4];
            for (int got = 0; got < body.Length;)
            {
                if (isAsync)
                {
                    ReadOnlyMemory<byte> block = await reader.ReadBlockAsync();
                    block.IsEmpty.ShouldBeFalse();
                    int count = Math.Min(block.Length, body.Length - got);
                    block[..count].CopyTo(body.AsMemory(got));
                    got += count;
                    reader.Seek(6 + got);
                }
                else
                {
                    got += reader.Read(body.AsSpan(got));
                }
            }

            body.ShouldBe("\n\r\nx"u8.ToArray(), $"request size {size}");
            List<string> rest = [];
            foreach (ReadOnlySpan<byte> other in reader.EnumerateLines())
            {
                rest.Add(Encoding.UTF8.GetString(other));
            }

            rest.ShouldBe(["", "", "last"], $"request size {size}");
        }
    }

    [Fact]
    public void A_block_that_only_ends_a_line_is_not_the_end_of_the_file()
    {
        using SluiceReader reader = SequentialCases.Reader(_temp.NewFile("a\r\nb"u8), "own", FileCaching.Cached, 1);
        reader.TryReadLine(out _).ShouldBeTrue();
        reader.TryReadLine(out _).ShouldBeTrue();
        reader.Seek(0);
        reader.TryReadLine(out _).ShouldBeTrue();
        reader.TryReadLine(out _).ShouldBeTrue();
        reader.BlockOrEmpty().IsEmpty.ShouldBeTrue();
        reader.Seek(0);
        reader.TryReadLine(out _).ShouldBeTrue();
        reader.BlockOrEmpty().ToArray().ShouldBe("b"u8.ToArray());

        // A file that ends with such a block: no record is missing there.
        using SluiceReader records = SequentialCases.Reader(_temp.NewFile("a\r\n"u8), "own", FileCaching.Cached, 1);
        records.TryReadLine(out _).ShouldBeTrue();
        foreach (ReadOnlySpan<short> record in records.EnumerateRecordBatches<short>())
        {
            record.Length.ShouldBe(0);
        }
    }

    [Fact]
    public void A_line_costs_no_allocation()
    {
        byte[] content = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Range(0, 20_000).Select(i => $"line {i} of many\n")));
        string path = _temp.NewFile(content);
        _ = Count(path);
        long before = GC.GetAllocatedBytesForCurrentThread();
        int lines = Count(path);
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        lines.ShouldBe(20_000);
        allocated.ShouldBeLessThan(lines);

        static int Count(string path)
        {
            using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Cached, 65_536);
            int count = 0;
            foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
            {
                count += line.IsEmpty ? 0 : 1;
            }

            return count;
        }
    }

    private static int[] RequestSizes(int length) => length < 2000 ? [0, 1, 3, 64, 512] : [0, 512, 4096];

    private static List<string> Lines(string path, string engine, FileCaching caching, int size)
    {
        using SluiceReader reader = SequentialCases.Reader(path, engine, caching, size, depth: 2);
        List<string> lines = [];
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
        {
            lines.Add(Encoding.UTF8.GetString(line));
        }

        return lines;
    }

    private static async Task<List<string>> LinesAsync(string path, string engine, FileCaching caching, int size)
    {
        using SluiceReader reader = SequentialCases.Reader(path, engine, caching, size, depth: 2);
        List<string> lines = [];
        await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())
        {
            lines.Add(Encoding.UTF8.GetString(line.Span));
        }

        return lines;
    }

    private static async Task<List<string>> AsyncStrings(string path, Encoding? encoding)
    {
        using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Cached, 5);
        List<string> lines = [];
        await foreach (string line in reader.ReadStringLinesAsync(encoding))
        {
            lines.Add(line);
        }

        return lines;
    }
}
