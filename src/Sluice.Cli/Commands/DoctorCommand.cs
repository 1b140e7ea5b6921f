using Sluice.Cli.Programs.Doctor;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>`sluice doctor`: what this machine and a file system allow, why, and what Sluice therefore does.</summary>
internal sealed class DoctorCommand(
    DoctorOptions options, IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
{
    public Task<int> RunAsync() => Task.FromResult(Run());

    private int Run()
    {
        LinkedFile.RequireTarget(options.Path);
        bool isFolder = Directory.Exists(options.Path);
        if (!isFolder && !File.Exists(options.Path))
            throw AbsentPath.Error(options.Path, new FileNotFoundException($"{options.Path}: no such file or directory"));
        if (!isFolder && PathKinds.Of(options.Path) is PathKind.Other)
            throw new UsageException($"{options.Path} is neither a file, a folder nor a block device");
        options.Output.Check(terminal, options.Path);
        DateTimeOffset began = DateTimeOffset.UtcNow;
        IReadOnlyList<FindingGroup> groups =
        [
            MachineFindings.Collect(),
            .. PlaceFindings.Collect(options.Path, isFolder,
                leftover => terminal.WriteNotice($"removed {leftover}, left behind by a run that was killed"), terminal.TellAtEnd),
        ];
        cancellationToken.ThrowIfCancellationRequested();
        var page = new ReportPage
        {
            Title = $"What {options.Path} allows",
            CommandLine = ReportPage.CommandLineOf(arguments),
            Began = began,
            Environment = EnvironmentProbe.ForPath(options.Path),
            Sections = [.. groups.Select(Section)],
        };
        DoctorText.Write(terminal, page.Environment, groups);
        options.Output.Write(terminal, page);
        return ExitCode.Success;
    }

    private static PageSection Section(FindingGroup group) => new()
    {
        Heading = group.Name,
        Tables =
        [
            new PageTable
            {
                Columns = [PageColumn.Text("what"), PageColumn.Text("there"), PageColumn.Text("why"), PageColumn.Text("so Sluice")],
                Rows = [.. group.Findings.Select(f => new PageRow(f.Name, f.Mark, f.Reason, f.Consequence))],
            },
        ],
    };
}
