using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Tests.Support;

/// <summary>Runs the tool inside the test's process.</summary>
internal sealed record ToolRun(int ExitCode, string Out, string Error)
{
    public static Task<ToolRun> RunAsync(params string[] arguments) => RunAsync(arguments, input: null, CancellationToken.None);

    /// <summary>Runs the tool, which must end with exit code 0.</summary>
    public static async Task<ToolRun> SucceedAsync(params string[] arguments)
    {
        ToolRun run = await RunAsync(arguments);
        run.ExitCode.ShouldBe(0, run.Error);
        return run;
    }

    /// <param name="input">What the user types; null: stdin is no terminal.</param>
    public static async Task<ToolRun> RunAsync(
        string[] arguments, string? input, CancellationToken cancellationToken, bool errorIsTerminal = false)
    {
        var output = new StringWriter();
        var error = new StringWriter();
        var typed = new StringReader(input ?? "");
        var terminal = new TerminalStreams(output, error, () => typed)
        {
            IsInputTerminal = input is not null,
            IsErrorTerminal = errorIsTerminal,
        };
        int exitCode = await SluiceTool.RunAsync(arguments, terminal, cancellationToken);
        return new ToolRun(exitCode, output.ToString(), error.ToString());
    }
}
