using System.Text.Json;
using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Copy;
using Sluice.Cli.Programs.Extents;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Compare;

/// <summary>A result that a command wrote by --json: of bench with its rounds, of any other command as a page.</summary>
internal sealed record ResultFile(string Path, BenchReport? Bench, ReportPage Page)
{
    /// <exception cref="UsageException">The file is not such a result.</exception>
    /// <exception cref="IOException">The file cannot be read.</exception>
    public static ResultFile Read(string path)
    {
        if (!File.Exists(path))
            throw new FileNotFoundException(Directory.Exists(path) ? $"{path} is a folder" : $"{path}: no such file");
        byte[] json = File.ReadAllBytes(path);
        try
        {
            using JsonDocument document = JsonDocument.Parse(json);
            JsonElement root = document.RootElement;
            bool Has(string name) => root.ValueKind == JsonValueKind.Object && root.TryGetProperty(name, out _);
            if (Has("rows") && Has("fio"))
            {
                BenchReport bench = Read(root, BenchJsonContext.Default.BenchReport);
                return new ResultFile(path, bench, BenchPage.Of(bench));
            }
            if (Has("workload") && Has("sides"))
                return new ResultFile(path, null, SpeedPage.Of(Read(root, SpeedJsonContext.Default.SpeedReport)));
            if (Has("cycles") && Has("settings"))
                return new ResultFile(path, null, FragPage.Of(Read(root, FragJsonContext.Default.FragReport)));
            if (Has("extents") && Has("worstFiles"))
                return new ResultFile(path, null, ExtentPage.Of(Read(root, ExtentJsonContext.Default.ExtentReport), places: []));
            if (Has("copies") && Has("miBPerSecond"))
                return new ResultFile(path, null, CopyPage.Of(Read(root, CopyJsonContext.Default.CopyReport)));
            if (Has("sections"))
                return new ResultFile(path, null, Read(root, PageJsonContext.Default.ReportPage));
            throw new UsageException(
                $"{path} is no result that can be compared; bench, speed, ops, figures, tables and such write them by --json");
        }
        catch (JsonException e)
        {
            throw new UsageException($"{path} is no result of sluice: {e.Message}");
        }
#pragma warning disable CA1031 // Whatever a page makes of it: sluice did not write it so.
        catch (Exception e) when (e is not UsageException)
#pragma warning restore CA1031
        {
            throw new UsageException($"{path} is no result of sluice: it lacks something, or has what is never there");
        }
    }

    private static T Read<T>(JsonElement root, System.Text.Json.Serialization.Metadata.JsonTypeInfo<T> type) =>
        root.Deserialize(type) ?? throw new JsonException("it is null");
}
