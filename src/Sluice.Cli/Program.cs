using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Everyday;
using Sluice.Cli.Commands;
using Sluice.Cli.Terminal;

if (args is [FirstOpen.Argument, var side, var path])
    return FirstOpen.Run(side, path);
if (args is [BusyProcesses.Argument])
    return BusyProcesses.Run();
using var signals = new InterruptSignals();
StandardStreams streams = StandardStreams.Open();
int exitCode = streams.End(await SluiceTool.RunAsync(args, streams.Terminal, signals.Token));
return signals.ExitCode ?? exitCode;
