using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Load;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

public sealed class SpeedProgressTests
{
    [Theory]
    [InlineData("--engine both a.dat", "sluice", "Sluice 0 MiB/s")]
    [InlineData("--engine both a.dat", "bcl", ".NET 0 MiB/s")]
    [InlineData("--engine bcl a.dat", "bcl", "0 MiB/s")]
    public void A_side_has_the_name_that_it_has_in_the_tables(string typed, string side, string begin) =>
        SpeedCommand.Measuring(
            SpeedParsing.Parse(typed), new MeasuredSide(side, "", FileCaching.Cached, null), TimeSpan.Zero).ShouldStartWith(begin);
}
