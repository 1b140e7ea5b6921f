using Sluice.Cli;
using Sluice.Cli.Commands;

using var signals = new InterruptSignals();
int exitCode = await SluiceTool.RunAsync(args, Terminal.FromConsole(), signals.Token);
return signals.ExitCode ?? exitCode;
