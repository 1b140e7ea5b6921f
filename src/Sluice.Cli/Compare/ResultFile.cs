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
        byte[] json = ResultJson.ReadBytes(path);
        try
        {
            using JsonDocument document = ResultJson.Parse(path, json);
            JsonElement root = document.RootElement;
            T Read<T>(JsonTypeInfo<T> type)
                where T : class => ResultJson.Read(path, root, type, "sluice");
            bool Has(string name) => root.ValueKind == JsonValueKind.Object && root.TryGetProperty(name, out _);
            if (Has("rows") && Has("fio"))
                return new ResultFile(path, BenchPage.Rates(Read(BenchJsonContext.Default.BenchReport)));
            if (Has("workload") && Has("sides"))
                return new ResultFile(path, SpeedPage.Of(Read(SpeedJsonContext.Default.SpeedReport)));
            if (Has("cycles") && Has("settings"))
                return new ResultFile(path, FragPage.Of(Read(FragJsonContext.Default.FragReport)));
            if (Has("extents") && Has("worstFiles"))
                return new ResultFile(path, ExtentPage.Of(Read(ExtentJsonContext.Default.ExtentReport)));
            if (Has("copies") && Has("miBPerSecond"))
                return new ResultFile(path, CopyPage.Of(Read(CopyJsonContext.Default.CopyReport)));
            if (Has("sections"))
                return new ResultFile(path, Read(PageJsonContext.Default.ReportPage));
            throw new UsageException(
                $"{path} cannot be compared; bench, speed, ops, figures, tables and such write them by --json");
        }
#pragma warning disable CA1031 // Any exception of the page means that sluice did not write the file in this form.
        catch (Exception e) when (e is not UsageException)
#pragma warning restore CA1031
        {
            throw new UsageException($"{path} is not a result of sluice: a value is missing or invalid");
        }
    }
}
