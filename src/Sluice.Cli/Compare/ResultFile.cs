using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Programs.Extents;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Compare;

/// <summary>A result that a command wrote with --json, converted to a page.</summary>
internal sealed record ResultFile(string Path, ReportPage Page)
{
    /// <exception cref="UsageException">The file is not a result of sluice.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public static ResultFile Read(string path)
    {
        using JsonDocument document = ResultJson.Parse(path);
        JsonElement root = document.RootElement;
        try
        {
            T Read<T>(JsonTypeInfo<T> type)
                where T : class => ResultJson.Read(path, root, type, "sluice");
            bool Has(string name) => root.ValueKind == JsonValueKind.Object && root.TryGetProperty(name, out _);
            ReportPage page = Has("fio") ? BenchPage.Rates(Read(BenchJsonContext.Default.BenchReport))
                : Has("workload") ? SpeedPage.Of(Read(SpeedJsonContext.Default.SpeedReport))
                : Has("cycles") ? FragPage.Of(Read(FragJsonContext.Default.FragReport))
                : Has("worstFiles") ? ExtentPage.Of(Read(ExtentJsonContext.Default.ExtentReport))
                : Has("copies") ? CopyPage.Of(Read(CopyJsonContext.Default.CopyReport))
                : Has("sections") ? Read(PageJsonContext.Default.ReportPage)
                : throw new UsageException(
                    $"{path} cannot be compared; bench, speed, ops, figures, tables and such write them by --json");
            return new ResultFile(path, page);
        }
#pragma warning disable CA1031 // Any exception of the page means that sluice did not write the file in this form.
        catch (Exception e) when (e is not UsageException)
#pragma warning restore CA1031
        {
            throw new UsageException($"{path} is not a result of sluice: a value is missing or invalid");
        }
    }
}
