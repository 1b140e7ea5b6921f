using System.Globalization;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Extents;

/// <summary>The report as tables.</summary>
internal static class ExtentText
{
    // With the figure before it as wide as a column may be without being broken.
    private const int BarWidth = 20;

    public static void Write(TerminalStreams terminal, ExtentReport report, int extentLimit)
    {
        EnvironmentText.Write(terminal, report.Environment);
        terminal.WriteLine();
        terminal.WriteLine(Summary(report));
        if (report.InterruptedNote is { } note)
            terminal.WriteLine($"note: {note}", hang: 2);
        if (report.UnplacedBytes > 0)
        {
            terminal.WriteLine(
                $"{ByteSize.Format(report.UnplacedBytes)} have no place on the device yet, or lie in metadata; --sync places the former");
        }
        if (report.Histogram.Count > 0)
            WriteHistogram(terminal, report.Histogram);
        if (report.FileExtents is { Count: > 0 } extents)
            WriteExtents(terminal, extents, extentLimit);
        else if (report.WorstFiles.Count > 0)
            WriteWorst(terminal, report.WorstFiles);
    }

    private static string Summary(ExtentReport report)
    {
        string files = report.FileExtents is null
            ? $"{Counted.Of(report.Files, "file")}, {report.FragmentedFiles:#,0} in more than one piece: " : "";
        return string.Create(CultureInfo.InvariantCulture,
            $"{report.Path}: {files}{ByteSize.Format(report.SizeBytes)}, {ByteSize.Format(report.PlacedBytes)} on the device, "
            + $"{Counted.Of(report.Extents, "extent")} in {Counted.Of(report.Pieces, "piece")}, fragmentation score {report.Score:0.##}");
    }

    private static void WriteHistogram(TerminalStreams terminal, IReadOnlyList<ExtentClass> classes)
    {
        terminal.WriteLine();
        long most = Math.Max(1, classes.Max(c => c.Bytes));
        long bytes = Math.Max(1, classes.Sum(c => c.Bytes));
        // A bar and its figure are one cell: neither stands without the other, nor without the heading.
        var table = new TextTable("extent size", "extents", "bytes", "share of bytes") { LeftColumns = new HashSet<int> { 0, 3 } };
        foreach (ExtentClass one in classes)
        {
            int bar = one.Bytes == 0 ? 0 : Math.Max(1, (int)(one.Bytes * (double)BarWidth / most));
            table.Add(one.Name, $"{one.Extents:#,0}", ByteSize.Format(one.Bytes),
                $"{100.0 * one.Bytes / bytes,5:0.0} % {new string('#', bar)}".TrimEnd());
        }
        table.WriteTo(terminal);
    }

    private static void WriteExtents(TerminalStreams terminal, IReadOnlyList<FileExtent> extents, int limit)
    {
        terminal.WriteLine();
        var table = new TextTable("file offset", "device offset", "length", "flags");
        foreach (FileExtent extent in extents.Take(limit))
        {
            FileExtentFlags flags = extent.Flags & ~FileExtentFlags.Last;
            table.Add($"{extent.Offset}", FileLayout.HasPlace(extent) ? $"{extent.PhysicalOffset}" : "-", $"{extent.Length}",
                flags == FileExtentFlags.None ? "" : $"{flags}");
        }
        table.WriteTo(terminal);
        if (extents.Count > limit)
            terminal.WriteLine($"{extents.Count - limit:#,0} more; --extents N shows N, --json all");
    }

    private static void WriteWorst(TerminalStreams terminal, IReadOnlyList<FileLayout> worst)
    {
        terminal.WriteLine();
        var table = new TextTable("most fragmented", "size", "extents", "pieces", "score");
        foreach (FileLayout file in worst)
            table.Add(file.Path, ByteSize.Format(file.SizeBytes), $"{file.Extents:#,0}", $"{file.Pieces:#,0}", $"{file.Score:0.0}");
        table.WriteTo(terminal);
    }
}
