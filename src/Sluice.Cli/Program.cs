using Sluice.Cli.Bench;
using Sluice.Cli.Commands;
using Sluice.Cli.Terminal;

if (args is [FirstOpen.Argument, var side, var path])
    return FirstOpen.Run(side, path);
using var signals = new InterruptSignals();
int exitCode = await SluiceTool.RunAsync(args, TerminalStreams.FromConsole(), signals.Token);
return signals.ExitCode ?? exitCode;
