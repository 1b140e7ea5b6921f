using System.Text;
using Shouldly;
using Sluice.Cli.Programs.Examples;
using Xunit;

namespace Sluice.Cli.Tests.Programs.Examples;

public sealed class RecordSourceTests
{
    private const int Count = 300;

    [Fact]
    public void A_record_has_the_sort_benchmarks_layout()
    {
        RecordSource records = Records();
        var keys = new HashSet<string>();
        long number = 0;
        while (records.TryNext(out ReadOnlySpan<byte> record))
        {
            record.Length.ShouldBe(100);
            string text = Encoding.Latin1.GetString(record);
            // Ten printable characters, two blanks, the number in 32 hexadecimal digits, two blanks, 52 of filler, CR LF.
            text[..10].ShouldAllBe(c => c >= ' ' && c <= '~');
            (text[10..12], text[44..46], text[98..]).ShouldBe(("  ", "  ", "\r\n"));
            text[46..98].ShouldAllBe(c => char.IsAsciiHexDigitUpper(c));
            text.Substring(12, 32).ShouldBe(number.ToString("X32"));
            keys.Add(text[..10]).ShouldBeTrue();
            number++;
        }
        number.ShouldBe(Count);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(99)]
    [InlineData(100)]
    [InlineData(101)]
    [InlineData(65536)]
    public void Blocks_of_any_size_hold_the_same_bytes(int blockBytes)
    {
        RecordSource records = Records();
        byte[] block = new byte[blockBytes];
        var bytes = new List<byte>();
        int got;
        while ((got = records.Fill(block)) > 0)
            bytes.AddRange(block.AsSpan(0, got));
        bytes.ToArray().ShouldBe(All());
    }

    [Fact]
    public void Lines_are_records_without_their_end()
    {
        RecordSource records = Records();
        var text = new StringBuilder();
        while (records.TryNextLine(out ReadOnlyMemory<char> line))
            text.Append(line).Append("\r\n");
        Encoding.Latin1.GetBytes(text.ToString()).ShouldBe(All());
    }

    private static RecordSource Records() => new(Count, CancellationToken.None);

    private static byte[] All()
    {
        RecordSource records = Records();
        var bytes = new List<byte>();
        while (records.TryNext(out ReadOnlySpan<byte> record))
            bytes.AddRange(record);
        return [.. bytes];
    }
}
