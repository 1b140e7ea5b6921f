using System.Text.Json;
using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Programs.Tables;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice tables` as a user types it, on small files.</summary>
[Collection(MeasuringCollection.Name)]
[Trait("Runs", "once")]
public sealed class TablesRunTests : FolderTest
{
    [Fact]
    public async Task Every_method_has_two_lines_with_time_ratio_and_bytes()
    {
        using TempFolder memory = TempFolder.InMemory();
        string disk = memory.FullPath;
        await ToolRun.SucceedAsync("tables", disk, "--quick", "--json", Folder["r.json"], "--csv", Folder["r.csv"]);
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();

        IReadOnlyList<MethodTable> tables = MethodTables.All(TablesCommand.Scale(quick: true));
        JsonElement json = Folder.Json("r.json");
        JsonElement[] sections = [.. json.GetProperty("sections").EnumerateArray()];
        sections.Select(s => s.GetProperty("heading").GetString()).ShouldBe(tables.Select(t => t.Heading));
        foreach ((MethodTable table, JsonElement section) in tables.Zip(sections))
        {
            JsonElement printed = section.GetProperty("tables")[0];
            string[] columns = [.. printed.GetProperty("columns").EnumerateArray().Select(c => c.GetProperty("name").GetString()!)];
            columns.Take(2 + table.Parameters.Count).ShouldBe(["Method", "Runtime", .. table.Parameters]);
            JsonElement[] rows = [.. printed.GetProperty("rows").EnumerateArray()];
            rows.Length.ShouldBe(2 * table.Rows.Count, table.Heading);
            foreach (JsonElement row in rows)
            {
                JsonElement[] cells = [.. row.GetProperty("cells").EnumerateArray()];
                cells.Length.ShouldBe(columns.Length, table.Heading);
                cells[2 + table.Parameters.Count].GetProperty("value").GetDouble().ShouldBeGreaterThan(0, table.Heading);
                cells[Array.IndexOf(columns, "Ratio")].GetProperty("value").GetDouble().ShouldBeGreaterThan(0, table.Heading);
                cells[^1].GetProperty("value").GetDouble().ShouldBeGreaterThanOrEqualTo(0, table.Heading);
            }
        }
        (await File.ReadAllTextAsync(Folder["r.csv"]))
            .ShouldContain("Method,Runtime,fileSize,userBufferSize,options,\"Mean, us\",Ratio,\"Allocated, B\"");
    }

    [Fact]
    public async Task A_table_can_be_picked()
    {
        using TempFolder memory = TempFolder.InMemory();
        ToolRun run = await ToolRun.SucceedAsync("tables", memory.FullPath, "--quick", "--table", "gather");
        run.Out.ShouldContain("WriteGather");
        run.Out.ShouldNotContain("SeekForward");
    }
}
