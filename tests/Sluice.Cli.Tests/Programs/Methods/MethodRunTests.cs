using System.Text;
using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Methods;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Programs.Methods;

/// <summary>Every method at the sizes where they go wrong, and what finds out that one did.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class MethodRunTests : FolderTest
{
    [Theory]
    [InlineData(1)]
    [InlineData(65_537)]
    public async Task Every_method_gives_what_is_in_the_file(int sizeBytes)
    {
        (await WrongOfAsync(sizeBytes, MethodList.All)).ShouldBeEmpty();
        Directory.EnumerateFileSystemEntries(Folder.FullPath).ShouldBeEmpty();
    }

    [Fact]
    public void Names_are_unique_and_the_articles_are_all_there()
    {
        MethodList.All.Select(m => (m.Name, m.Writes)).ShouldBeUnique();
        string[] names = [.. MethodList.All.Select(m => m.Name)];
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
        MethodList.All.Count(m => m.Open is not null && !m.Writes).ShouldBe(4);
        MethodList.All.Count(m => m.Open is not null && m.Writes).ShouldBe(4);
    }

    [Fact]
    public async Task What_is_read_wrong_is_found_in_every_form()
    {
        Method[] wrong =
        [
            Reading("short", ResultKind.Bytes, i => i.Sample.Content[1..]),
            Reading("stale", ResultKind.Bytes, i => i.Bytes.Length),
            Reading("other text", ResultKind.Text, i => i.Sample.Text.Replace('e', 'E')),
            Reading("stale text", ResultKind.Text, i => i.Chars.Length),
            Reading("lines turned round", ResultKind.Lines, i => i.Sample.Lines.Reverse()),
            Reading("a line less", ResultKind.Lines, i => i.Sample.Lines.Skip(1)),
            Reading("no lines", ResultKind.Lines, i => i.NewSum()),
            Reading("nothing", ResultKind.Bytes, _ => null),
            Writing("a byte more", i => File.WriteAllBytes(i.Path, [.. i.Sample.Content, 0])),
            Writing("mark", i => File.WriteAllText(i.Path, i.Sample.Text, new UTF8Encoding(true))),
        ];
        // The two stale ones find the arrays filled by the method before them.
        Method right = Reading("right", ResultKind.Bytes, i =>
        {
            i.Sample.Content.CopyTo(i.Bytes, 0);
            i.Sample.Chars.CopyTo(i.Chars, 0);
            return i.Bytes.Length;
        });
        (await WrongOfAsync(5000, [right, .. wrong])).ShouldBe(wrong.Select(m => m.Name));

        static Method Reading(string name, ResultKind kind, Func<MethodInput, object?> run) => new(name, IoSide.Bcl, kind, run);
        static Method Writing(string name, Action<MethodInput> run) => new(name, IoSide.Bcl, ResultKind.Bytes, i =>
        {
            run(i);
            return null;
        })
        { Writes = true };
    }

    [SkippableFact]
    public async Task No_method_calls_a_file_written_that_did_not_fit()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], "1m");
        foreach (Method method in MethodList.All.Where(m => m.Writes))
        {
            using var run = new MethodRun(disk.Path, 700_000, CancellationToken.None) { Runs = 1 };
            IOException error = await Should.ThrowAsync<IOException>(() => RunAsync(run, method), method.Name);
            error.Message.ShouldContain("write.txt", Case.Sensitive, method.Name);
        }
    }

    private async Task<IEnumerable<string>> WrongOfAsync(int sizeBytes, IReadOnlyList<Method> methods)
    {
        using var run = new MethodRun(Folder.FullPath, sizeBytes, CancellationToken.None) { Runs = 1 };
        foreach (Method method in methods)
            await RunAsync(run, method);
        return run.Wrong.Keys.Select(m => m.Name);
    }

    private static Task<SliceSample> RunAsync(MethodRun run, Method method) =>
        new SliceRunner(CancellationToken.None).RunAsync(run.ContenderOf(method), TimeSpan.Zero);
}
