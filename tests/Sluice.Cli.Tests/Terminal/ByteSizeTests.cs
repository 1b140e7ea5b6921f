using Shouldly;
using Sluice.Cli.Terminal;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

public sealed class ByteSizeTests
{
    [Theory]
    [InlineData("0", 0)]
    [InlineData("777", 777)]
    [InlineData("64K", 65536)]
    [InlineData("64k", 65536)]
    [InlineData("64KiB", 65536)]
    [InlineData("100M", 104857600)]
    [InlineData("100MiB", 104857600)]
    [InlineData("1G", 1073741824)]
    [InlineData("1.5G", 1610612736)]
    [InlineData("2T", 2199023255552)]
    [InlineData("8191P", 0, false)]
    [InlineData("9223372036854775807", long.MaxValue)]
    [InlineData("9223372036854775808", 0, false)]
    [InlineData("8388608T", 0, false)]
    [InlineData("99999999999999999999999999999999999999G", 0, false)]
    [InlineData("", 0, false)]
    [InlineData("K", 0, false)]
    [InlineData("-1", 0, false)]
    [InlineData("1KB", 0, false)]
    [InlineData("0.3", 0, false)]
    [InlineData("1..5G", 0, false)]
    [InlineData("a.dat", 0, false)]
    [InlineData("1 G", 0, false)]
    public void Parses_bytes_and_binary_units_only(string text, long expected, bool isSize = true)
    {
        ByteSize.TryParse(text, out long bytes).ShouldBe(isSize);
        bytes.ShouldBe(expected);
    }

    [Theory]
    [InlineData(0, "0 B")]
    [InlineData(777, "777 B")]
    [InlineData(65536, "64 KiB")]
    [InlineData(1610612736, "1.5 GiB")]
    [InlineData(long.MaxValue, "8388608 TiB")]
    public void Formats_with_the_largest_unit_that_fits(long bytes, string expected) => ByteSize.Format(bytes).ShouldBe(expected);
}
