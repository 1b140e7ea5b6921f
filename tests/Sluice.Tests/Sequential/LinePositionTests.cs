using System.Text;

namespace Sluice.Tests.Sequential;

/// <summary>Where a reader stands behind a line, wherever the borders of blocks are.</summary>
public sealed class LinePositionTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>A position behind a line can be noted, and sought again later.</summary>
    [Theory]
    [InlineData("lines")]
    [InlineData("loop")]
    [InlineData("asynchronous loop")]
    public async Task Behind_each_line_the_position_is_where_the_next_one_begins(string how)
    {
        byte[] content = Encoding.UTF8.GetBytes("\uFEFFfirst\r\nsecond\rthird\n\n\r\n\r\rwith\0nul\n\U0001F600\u00E9\r\nlast\r");
        string path = _temp.NewFile(content);
        List<string> expected = LineTexts.LinesOf(content);
        for (int size = 1; size <= content.Length + 1; size++)
        {
            using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Cached, size);
            List<string> lines = [];
            List<long> positions = [0];
            switch (how)
            {
                case "lines":
                    while (reader.TryReadLine(out ReadOnlySpan<byte> line))
                    {
                        Note(line);
                    }

                    break;
                case "loop":
                    foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
                    {
                        Note(line);
                    }

                    break;
                default:
                    await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())
                    {
                        Note(line.Span);
                    }

                    break;
            }

            lines.ShouldBe(expected, $"request size {size}");
            for (int i = 0; i < positions.Count; i++)
            {
                reader.Seek(positions[i]);
                reader.TryReadLine(out ReadOnlySpan<byte> line).ShouldBe(i < expected.Count);
                Encoding.UTF8.GetString(line).ShouldBe(i < expected.Count ? expected[i] : "", $"request size {size}, line {i}");
            }

            void Note(ReadOnlySpan<byte> line)
            {
                lines.Add(Encoding.UTF8.GetString(line));
                positions.Add(reader.Position);
            }
        }
    }
}
