using Sluice.Cli.Bench;
using Sluice.Cli.Commands;
using Sluice.Cli.Terminal;

if (args is [FirstOpen.Argument, var side, var path])
    return FirstOpen.Run(side, path);
using var signals = new InterruptSignals();
StandardStreams streams = StandardStreams.Open();
int exitCode = streams.End(await SluiceTool.RunAsync(args, streams.Terminal, signals.Token));
return signals.ExitCode ?? exitCode;
