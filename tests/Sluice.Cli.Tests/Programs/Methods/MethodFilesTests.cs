using System.Text;
using Shouldly;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Programs.Methods;

/// <summary>Every method at the sizes where they go wrong, and what finds out that one did.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class MethodFilesTests : FolderTest
{
    [Theory]
    [InlineData(1)]
    [InlineData(65_537)]
    public async Task Every_method_gives_what_is_in_the_file(int sizeBytes)
    {
        (await Timing.WrongAsync(Folder.FullPath, Files(sizeBytes).Rows)).ShouldBeEmpty();
    }

    [Fact]
    public void Names_are_unique_and_the_articles_are_all_there()
    {
        IReadOnlyList<TimedRow> rows = Files(1).Rows;
        rows.Select(r => (r.Name, r.Writes)).ShouldBeUnique();
        string[] names = [.. rows.Select(r => r.Name)];
        string[] article =
        [
            "File.ReadAllLines", "File.ReadAllText", "File.ReadAllBytes", "BinaryReader.Read", "File.WriteAllLines", "File.WriteAllText",
            "File.WriteAllBytes", "BinaryWriter.Write", .. Enumerable.Range(1, 7).Select(i => $"StreamReader{i}."),
            .. Enumerable.Range(1, 8).Select(i => $"FileStream{i}."), "FileStream2A.", "StreamWriter1.Write", "FileStream1.Write",
            "FileStream2.Write", "FileStream3.Write", "WFIO1.Read", "WFIO2.ReadUntilEOF", "WFIO3.ReadBlocks", "WFIO1.Write",
            "WFIO2.WriteBlocks",
        ];
        foreach (string name in article)
            names.ShouldContain(n => n.StartsWith(name, StringComparison.Ordinal), name);
        names.Count(n => n.Contains("BeginRead", StringComparison.Ordinal)).ShouldBe(5);
        rows.Count(r => r.Open is not null && !r.Writes).ShouldBe(4);
        rows.Count(r => r.Open is not null && r.Writes).ShouldBe(4);
    }

    [Fact]
    public async Task What_is_read_wrong_is_found_in_every_form()
    {
        MethodFiles files = Files(5000);
        TextSample sample = files.Sample;
        Dictionary<string, TimedRow> rows = files.Rows.Where(r => r.Group != "Writing bytes").ToDictionary(r => r.Name);
        TimedRow writing = files.Rows.First(r => r.Writes);
        TimedRow[] wrong =
        [
            Instead("File.ReadAllBytes", "short", () => sample.Content[1..]),
            Instead("FileStream1.Read", "stale", () => sample.SizeBytes),
            Instead("File.ReadAllText", "other text", () => sample.Text.Replace('0', 'x')),
            Instead("StreamReader1.Read", "stale text", () => sample.SizeBytes),
            Instead("File.ReadAllLines", "lines turned round", () => sample.Lines.Reverse()),
            Instead("File.ReadLines", "a line less", () => sample.Lines.Skip(1)),
            Instead("StreamReader6.ReadLine", "no lines", () => files.NewSum()),
            Instead("SluiceFile.ReadAllBytes", "nothing", () => null),
            writing with { Name = "a byte more", RunAsync = () => WriteAsync([.. sample.Content, 0]) },
            writing with { Name = "mark", RunAsync = () => WriteAsync([.. Encoding.UTF8.GetPreamble(), .. sample.Content]) },
        ];
        // Each of the stale ones would find what the method before it has read into the array.
        TimedRow[] right = [rows["FileStream2.Read parsing"], rows["FileStream1.Read"], rows["StreamReader1.Read"]];
        (await Timing.WrongAsync(Folder.FullPath, [.. right, .. wrong])).ShouldBe(wrong.Select(r => r.Name));

        TimedRow Instead(string method, string name, Func<object?> run) =>
            rows[method] with { Name = name, RunAsync = () => Task.FromResult(run()) };

        async Task<object?> WriteAsync(byte[] bytes)
        {
            await File.WriteAllBytesAsync(files.WritePath, bytes);
            return null;
        }
    }

    [SkippableFact]
    public async Task No_method_calls_a_file_written_that_did_not_fit()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], "1m");
        var files = new MethodFiles(disk.Path, 700_000, CancellationToken.None);
        files.Make();
        foreach (TimedRow row in files.Rows.Where(r => r.Writes))
        {
            IOException error = await Should.ThrowAsync<IOException>(() => Timing.RunAsync(disk.Path, row), row.Name);
            error.Message.ShouldContain("write.txt", Case.Sensitive, row.Name);
            File.Delete(files.WritePath);
        }
    }

    private MethodFiles Files(int sizeBytes)
    {
        var files = new MethodFiles(Folder.FullPath, sizeBytes, CancellationToken.None);
        files.Make();
        return files;
    }
}
