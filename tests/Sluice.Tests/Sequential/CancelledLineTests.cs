using System.Text;

namespace Sluice.Tests.Sequential;

/// <summary>Lines whose reading is cancelled at the border of two blocks: nothing of them is lost to whatever is read next.</summary>
public sealed class CancelledLineTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_loop_that_failed_at_a_border_goes_on_with_the_line_that_begins_before_it(bool isAsync)
    {
        // Behind the second line the scanner has not come to the block's end; the next block lies in the same memory.
        string[] expected = ["first", new('a', 3000), new('b', 5000), new('c', 500), new('d', 7000), "e"];
        string path = _temp.NewFile(Encoding.UTF8.GetBytes(string.Join("\r\n", expected)));
        for (int border = 1; border <= 4; border++)
        {
            ThrowingProgress progress = new(border);
            using SluiceReader reader = new(path, new SluiceReaderOptions { RequestSize = 4096, Progress = progress });
            List<string> lines = isAsync ? await TakeAllAsync(reader) : TakeAll(reader);
            lines.ToArray().ShouldBe(expected, $"border {border}");
            progress.HasThrown.ShouldBeTrue();
        }

        static List<string> TakeAll(SluiceReader reader)
        {
            List<string> lines = [];
            LineEnumerable.Enumerator loop = reader.EnumerateLines().GetEnumerator();
            for (bool more = true; more;)
            {
                try
                {
                    more = loop.MoveNext();
                    lines.AddRange(more ? [Encoding.UTF8.GetString(loop.Current)] : []);
                }
                catch (InvalidTimeZoneException)
                {
                    // Once.
                }
            }

            return lines;
        }

        static async Task<List<string>> TakeAllAsync(SluiceReader reader)
        {
            List<string> lines = [];
            IAsyncEnumerator<ReadOnlyMemory<byte>> loop = reader.EnumerateLinesAsync().GetAsyncEnumerator();
            for (bool more = true; more;)
            {
                try
                {
                    more = await loop.MoveNextAsync();
                    lines.AddRange(more ? [Encoding.UTF8.GetString(loop.Current.Span)] : []);
                }
                catch (InvalidTimeZoneException)
                {
                    // Once.
                }
            }

            return lines;
        }
    }

    [Theory]
    [InlineData("lines")]
    [InlineData("loops")]
    [InlineData("asynchronous loops")]
    public async Task A_cancelled_line_leaves_the_reader_where_the_line_begins(string how)
    {
        byte[] content = Encoding.UTF8.GetBytes("\uFEFFfirst\r\nsecond\rthird, which is longer\n\n\r\n\r\rlast\n");
        string path = _temp.NewFile(content);
        List<string> expected = LineTexts.LinesOf(content);
        CancellationToken cancelled = new(canceled: true);
        for (int size = 1; size <= content.Length; size++)
        {
            using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Cached, size);
            List<string> lines = [];
            while (reader.Position < content.Length)
            {
                // Every block is asked for in vain once, before it is read.
                await Should.ThrowAsync<OperationCanceledException>(() => TakeAsync(reader, how, lines, cancelled));
                int stands = (int)reader.Position;
                (stands == 0 || stands == 3 || content[stands - 1] is (byte)'\n' or (byte)'\r')
                    .ShouldBeTrue($"request size {size}: at {stands}, within a line");
                if (stands < content.Length)
                {
                    reader.TryReadLine(out ReadOnlySpan<byte> line).ShouldBeTrue($"request size {size}: a false end at {stands}");
                    lines.Add(Encoding.UTF8.GetString(line));
                }
            }

            lines.ShouldBe(expected, $"request size {size}");
        }

        static async Task TakeAsync(SluiceReader reader, string how, List<string> lines, CancellationToken token)
        {
            switch (how)
            {
                case "lines":
                    while (reader.TryReadLine(out ReadOnlySpan<byte> line, token))
                    {
                        lines.Add(Encoding.UTF8.GetString(line));
                    }

                    break;
                case "loops":
                    foreach (ReadOnlySpan<byte> line in reader.EnumerateLines(token))
                    {
                        lines.Add(Encoding.UTF8.GetString(line));
                    }

                    break;
                default:
                    await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync(token))
                    {
                        lines.Add(Encoding.UTF8.GetString(line.Span));
                    }

                    break;
            }
        }
    }

    /// <summary>Two bytes of a byte order mark are in the first block, and the wait for the third is cancelled.</summary>
    [Fact]
    public void A_line_that_is_cancelled_within_a_mark_begins_in_front_of_it()
    {
        using CancellationTokenSource source = new();
        byte[] content = [0xEF, 0xBB];
        using SluiceReader reader = SequentialCases.Reader(
            _temp.NewFile(content), "own", FileCaching.Cached, progress: new Cancelling(source));
        Should.Throw<OperationCanceledException>(() => reader.TryReadLine(out _, source.Token));
        reader.Position.ShouldBe(0);
        reader.TryReadLine(out ReadOnlySpan<byte> line).ShouldBeTrue();
        line.ShouldBeBytes(content);
    }

    private sealed class Cancelling(CancellationTokenSource source) : IProgress<long>
    {
        public void Report(long value) => source.Cancel();
    }
}
