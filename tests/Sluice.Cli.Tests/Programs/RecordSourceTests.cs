using System.Text;
using Shouldly;
using Sluice.Cli.Programs;
using Xunit;

namespace Sluice.Cli.Tests.Programs;

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
