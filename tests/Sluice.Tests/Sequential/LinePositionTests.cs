using System.Text;

namespace Sluice.Tests.Sequential;

/// <summary>Where a reader stands behind a line, wherever the borders of blocks are.</summary>
public sealed class LinePositionTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>Else whoever notes how far he is, and seeks there later, would find a line that is not in the file.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Behind_each_line_the_position_is_where_the_next_one_begins(bool isAsync)
    {
        string path = _temp.NewFile(Encoding.ASCII.GetBytes("first\r\nsecond\rthird\n\n\r\n\r\rlast\r"));
        List<string> expected = [.. File.ReadLines(path)];
        for (int size = 1; size <= 40; size++)
        {
            using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Cached, size);
            List<long> positions = [0];
            if (isAsync)
            {
                await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())
                {
                    Encoding.ASCII.GetString(line.Span).ShouldBe(expected[positions.Count - 1]);
                    positions.Add(reader.Position);
                }
            }
            else
            {
                while (reader.TryReadLine(out ReadOnlySpan<byte> line))
                {
                    Encoding.ASCII.GetString(line).ShouldBe(expected[positions.Count - 1]);
                    positions.Add(reader.Position);
                }
            }

            positions.Count.ShouldBe(expected.Count + 1);
            for (int i = 0; i < positions.Count; i++)
            {
                reader.Seek(positions[i]);
                reader.TryReadLine(out ReadOnlySpan<byte> line).ShouldBe(i < expected.Count);
                Encoding.ASCII.GetString(line).ShouldBe(i < expected.Count ? expected[i] : "", $"request size {size}, line {i}");
            }
        }
    }
}
