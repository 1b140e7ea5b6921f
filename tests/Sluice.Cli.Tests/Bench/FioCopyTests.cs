using Shouldly;
using Sluice.Cli.Bench.Files;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

public sealed class FioCopyTests
{
    [Fact]
    public void The_longer_of_the_two_jobs_is_the_time_of_the_copy() =>
        FioCopy.ParseTime("""{ "jobs": [ { "read": { "runtime": 1200 } }, { "write": { "runtime": 1550 } } ] }""")
            .ShouldBe(TimeSpan.FromMilliseconds(1550));

    [Theory]
    [InlineData("")]
    [InlineData("""{ "jobs": [] }""")]
    [InlineData("""{ "jobs": [ { "read": { "runtime": 1 } } ] }""")]
    public void What_cannot_be_read_is_an_error(string json) => Should.Throw<IOException>(() => FioCopy.ParseTime(json));
}
