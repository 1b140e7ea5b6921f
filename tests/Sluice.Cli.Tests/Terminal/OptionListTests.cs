using System.CommandLine;
using Shouldly;
using Sluice.Cli.Terminal;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

public sealed class OptionListTests
{
    [Theory]
    [InlineData("-t30 -t=30", "--time=30 --time=30")]
    [InlineData("-Fm1 -Fm=256", "--min-size=1 --min-size=256")]
    [InlineData("--time 30", "--time=30")]
    [InlineData("--time=30", "--time=30")]
    [InlineData("--time -5", "--time=-5")]
    [InlineData("-p100M a.dat", "--preallocate=100M a.dat")]
    [InlineData("-p a.dat", "--preallocate=auto a.dat")]
    [InlineData("-p 100M", "--preallocate=auto 100M")]
    [InlineData("--preallocate a.dat", "--preallocate=auto a.dat")]
    [InlineData("--preallocate 100M a.dat", "--preallocate=100M a.dat")]
    [InlineData("a.dat --preallocate", "a.dat --preallocate=auto")]
    [InlineData("-dct30", "-dc --time=30")]
    [InlineData("-dp", "-d --preallocate=auto")]
    [InlineData("-h", "--help")]
    [InlineData("- a", "- a")]
    [InlineData("-c -- -t30 --x", "-c -- -t30 --x")]
    [InlineData("-- \u2013t30", "-- \u2013t30")]
    public void Values_are_attached_to_long_names(string typed, string expected) =>
        string.Join(' ', Options().Expand(typed.Split(' '))).ShouldBe(expected);

    [Theory]
    [InlineData("-z9", "-z9")]
    [InlineData("--nothing=3", "--nothing")]
    [InlineData("-t 30", "attached")]
    [InlineData("-c5", "-c5")]
    [InlineData("--touch=5", "no value")]
    [InlineData("--time", "needs a value")]
    [InlineData("--time --touch", "needs a value")]
    [InlineData("--time=", "needs a value")]
    [InlineData("--time  a.dat", "needs a value")]
    [InlineData("\u2013t30", "write -t30")]
    public void What_cannot_be_meant_is_refused_with_the_reason(string typed, string reason) =>
        Should.Throw<UsageException>(() => Options().Expand(typed.Split(' '))).Message.ShouldContain(reason);

    private static OptionList Options()
    {
        var options = new OptionList(new Command("speed"));
        options.Value("--time", "t", "seconds", "");
        options.Optional("--preallocate", "p", "size", "");
        options.Flag("--touch", "c", "");
        options.Flag("--direct", "d", "");
        options.Value("--min-size", "Fm", "MB", "");
        return options;
    }
}
