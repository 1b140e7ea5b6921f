using System.Text;
using Shouldly;
using Sluice.Cli.Terminal;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

public sealed class LiveProgressTests
{
    [Fact]
    public async Task No_name_in_the_live_line_steers_the_terminal()
    {
        var shown = new StringBuilder();
        var error = TextWriter.Synchronized(new StringWriter(shown));
        var terminal = new TerminalStreams(TextWriter.Null, error, () => TextReader.Null) { IsErrorTerminal = true, Width = 200 };
        using (var progress = new LiveProgress(terminal, quiet: false))
        {
            progress.Show(() => "creating x\e]0;owned\a\rdata\u009b2J");
            while (!Text().Contains("creating", StringComparison.Ordinal))
                await Task.Delay(20);
        }
        string line = Text();
        line.ShouldNotContain("\e]0");
        line.ShouldNotContain("\a");
        line.ShouldNotContain("\u009b");
        line.ShouldContain("x?]0;owned??data?2J");

        string Text()
        {
            lock (error)
                return shown.ToString();
        }
    }
}
