using Shouldly;
using Sluice.Cli.Terminal;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

public sealed class ArgumentRewriterTests
{
    private static readonly ArgumentRewriter Rewriter = new(
    [
        new OptionSyntax("--time", "t", OptionValue.Required),
        new OptionSyntax("--preallocate", "p", OptionValue.Optional),
        new OptionSyntax("--touch", "c", OptionValue.None),
        new OptionSyntax("--direct", "d", OptionValue.None),
        new OptionSyntax("--json", null, OptionValue.Required),
        new OptionSyntax("--min-size", "Fm", OptionValue.Required),
        new OptionSyntax("--max-size", "FM", OptionValue.Required),
    ]);

    [Theory]
    [InlineData("-t30", "--time=30")]
    [InlineData("-t=30", "--time=30")]
    [InlineData("-Fm1 -FM=256", "--min-size=1 --max-size=256")]
    [InlineData("--time 30", "--time=30")]
    [InlineData("--time=30", "--time=30")]
    [InlineData("--time -5", "--time=-5")]
    [InlineData("-p100M a.dat", "--preallocate=100M a.dat")]
    [InlineData("-p a.dat", "--preallocate=auto a.dat")]
    [InlineData("-p 100M", "--preallocate=auto 100M")]
    [InlineData("--preallocate a.dat", "--preallocate=auto a.dat")]
    [InlineData("--preallocate 100M a.dat", "--preallocate=100M a.dat")]
    [InlineData("--preallocate auto a.dat", "--preallocate=auto a.dat")]
    [InlineData("--preallocate=1G a.dat", "--preallocate=1G a.dat")]
    [InlineData("a.dat --preallocate", "a.dat --preallocate=auto")]
    [InlineData("-c a.dat", "--touch a.dat")]
    [InlineData("-cd a.dat", "--touch --direct a.dat")]
    [InlineData("-dct30", "--direct --touch --time=30")]
    [InlineData("-dp", "--direct --preallocate=auto")]
    [InlineData("--json r.json a.dat", "--json=r.json a.dat")]
    [InlineData("-h", "--help")]
    [InlineData("-?", "--help")]
    [InlineData("- a", "- a")]
    [InlineData("-c -- -t30 --x", "--touch -- -t30 --x")]
    public void Every_spelling_becomes_the_long_form(string typed, string expected) =>
        string.Join(' ', Rewriter.Rewrite(typed.Split(' '))).ShouldBe(expected);

    [Theory]
    [InlineData("-z9", "-z9")]
    [InlineData("--nothing", "--nothing")]
    [InlineData("--nothing=3", "--nothing")]
    [InlineData("-t", "attached")]
    [InlineData("-t 30", "attached")]
    [InlineData("-c5", "no value")]
    [InlineData("-cz", "no value")]
    [InlineData("-dt", "attached")]
    [InlineData("--touch=5", "no value")]
    [InlineData("--time", "needs a value")]
    [InlineData("--time --touch", "needs a value")]
    [InlineData("--time --", "needs a value")]
    [InlineData("--time=", "needs a value")]
    [InlineData("--json", "needs a value")]
    [InlineData("--json  a.dat", "needs a value")]
    public void What_cannot_be_meant_is_refused_with_the_reason(string typed, string reason) =>
        Should.Throw<UsageException>(() => Rewriter.Rewrite(typed.Split(' '))).Message.ShouldContain(reason);
}
