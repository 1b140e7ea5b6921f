using System.CommandLine;
using Sluice.Cli.Programs.Doctor;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

/// <summary>`sluice doctor`: shows which features the machine and a file system support, and what Sluice therefore uses.</summary>
internal static class DoctorCommand
{
    public static CommandBinder Define(OptionList command)
    {
        Argument<string?> path = command.OptionalArgument("FILE|DIR",
            "A file, which is only read, or a folder whose file system is examined (the temporary folder).");
        return (result, context) => () => Task.FromResult(Run(result.GetValue(path) ?? Path.GetTempPath(), context));
    }

    private static int Run(string path, CommandContext context)
    {
        TerminalStreams terminal = context.Terminal;
        bool isFolder = PathArgument.IsFolder(path);
        if (!isFolder && PathKinds.Of(path) is PathKind.Other)
            throw new UsageException($"{path} is neither a file, a folder nor a block device");
        context.Output.Check(terminal, path);
        DateTimeOffset began = DateTimeOffset.UtcNow;
        IReadOnlyList<FindingGroup> groups = [MachineFindings.Collect(), .. PlaceFindings.Collect(path, isFolder, terminal)];
        context.CancellationToken.ThrowIfCancellationRequested();
        var page = new ReportPage
        {
            Title = $"What the machine and {Path.GetFullPath(path)} support",
            CommandLine = ReportPage.CommandLineOf(context.Arguments),
            Began = began,
            Environment = EnvironmentProbe.ForPath(path),
            Sections = [.. groups.Select(Section)],
        };
        DoctorText.Write(terminal, page.Environment, groups);
        context.Output.Write(terminal, page);
        return ExitCode.Success;
    }

    private static PageSection Section(FindingGroup group) => new()
    {
        Heading = group.Name,
        Tables =
        [
            new PageTable(
                [PageColumn.Text("what"), PageColumn.Text("there"), PageColumn.Text("why"), PageColumn.Text("so Sluice")],
                [.. group.Findings.Select(f => new PageRow(f.Name, f.Mark, f.Reason, f.Consequence))]),
        ],
    };
}
