using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Xunit;

namespace Sluice.Cli.Tests.Load;

/// <summary>The live line tells of the last moments.</summary>
public sealed class SpeedProgressTests
{
    [Fact]
    public void It_has_rate_iops_and_p99()
    {
        var line = new SpeedProgress("read a.dat", TimeSpan.FromSeconds(30));
        var measured = new Measurement();
        line.Text(TimeSpan.FromSeconds(0.25), [("sluice", measured)]).ShouldBe("0 MiB/s, 0 IOPS, p99 0 us, 0 of 30 s, read a.dat");
        for (int i = 0; i < 1000; i++)
            measured.Count(isWrite: false, 1 << 20, i < 980 ? 100_000 : 5_000_000);
        line.Text(TimeSpan.FromSeconds(1), [("sluice", measured)]).ShouldBe("1,000 MiB/s, 1,000 IOPS, p99 5,001 us, 1 of 30 s, read a.dat");
        line.Text(TimeSpan.FromSeconds(5), [("sluice", measured)]).ShouldStartWith("0 MiB/s, 0 IOPS");
    }

    [Fact]
    public void Of_two_sides_it_tells_of_the_one_that_is_at_work()
    {
        var line = new SpeedProgress("read a.dat", TimeSpan.FromSeconds(60));
        (string, Measurement)[] sides = [("sluice", new Measurement()), ("bcl", new Measurement())];
        sides[0].Item2.Count(isWrite: false, 4096, 7000);
        line.Text(TimeSpan.FromSeconds(1), sides).ShouldStartWith("sluice ");
        sides[1].Item2.Count(isWrite: true, 4096, 9000);
        line.Text(TimeSpan.FromSeconds(2), sides).ShouldStartWith("bcl ");
    }

    [Theory]
    [InlineData("short", 80, "short")]
    [InlineData("0123456789", 12, "012345...")]
    [InlineData("\u8cc7\u6599\u5eab\u5099\u4efd", 12, "\u8cc7\u6599\u5eab...")]
    [InlineData("e\u0301e\u0301e\u0301", 6, "e\u0301e\u0301e\u0301")]
    public void It_never_wraps(string line, int columns, string shown) => LiveProgress.Fit(line, columns).ShouldBe(shown);
}
