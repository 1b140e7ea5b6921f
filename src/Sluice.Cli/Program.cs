using Sluice.Cli.Commands;
using Sluice.Cli.Terminal;

using var signals = new InterruptSignals();
int exitCode = await SluiceTool.RunAsync(args, TerminalStreams.FromConsole(), signals.Token);
return signals.ExitCode ?? exitCode;
