using System.Reflection;
using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Examples;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Programs.Examples;

/// <summary>The tutorial: every case works, fails loudly, and is shown as it runs.</summary>
public sealed class ExampleCasesTests : FolderTest
{
    public static TheoryData<string> Names => [.. ExampleCases.All.Select(c => c.Name)];

    [Fact]
    public void Each_method_of_code_is_a_case_and_is_shown_as_a_whole()
    {
        const BindingFlags own = BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly;
        string[] methods = [.. ((Type[])[typeof(ReadCases), typeof(WriteCases)]).SelectMany(t => t.GetMethods(own)).Select(m => m.Name)];
        methods.ShouldBe(ExampleCases.All.Select(c => c.MethodName), ignoreOrder: true);
        foreach (ExampleCase example in ExampleCases.All)
        {
            string code = example.Code();
            code.ShouldStartWith("/// <summary>\n/// ");
            code.ShouldContain($" {example.MethodName}(string path, ");
            code.ShouldEndWith("\n}\n");
            code.Split("/// <summary>").Length.ShouldBe(2);
            code.Count(c => c == '{').ShouldBe(code.Count(c => c == '}'));
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public async Task It_reads_or_writes_every_byte(string name)
    {
        // Not a whole number of blocks or pages.
        foreach (int count in (int[])[1, 700])
        {
            ExampleRun run = new(Folder["r.dat"], count, runs: 1, CancellationToken.None);
            run.MakeFile();
            await RunAsync(run, ExampleCases.All.Single(c => c.Name == name));
            run.Wrong.ShouldBeEmpty();
        }
    }

    [Fact]
    public async Task What_is_read_or_written_wrong_is_found()
    {
        ExampleRun run = new(Folder["r.dat"], 100, runs: 1, CancellationToken.None);
        run.MakeFile();
        byte[] bytes = await File.ReadAllBytesAsync(Folder["r.dat"]);
        bytes[5000] ^= 1;
        await File.WriteAllBytesAsync(Folder["r.dat"], bytes);
        var less = new ExampleCase(
            "WriteLess", ExampleUnit.Byte, ".NET", Writes: true, (path, _, _) => File.WriteAllTextAsync(path, "x"));
        ExampleCase[] wrong = [.. ExampleCases.All.Where(c => !c.Writes), less];
        foreach (ExampleCase example in wrong)
            await RunAsync(run, example);
        run.Wrong.Keys.ShouldBe(wrong);
        run.Wrong[less].ShouldBe("1 bytes, not 10,000");
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task No_case_calls_a_file_written_that_did_not_fit()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], "512k");
        foreach (ExampleCase writing in ExampleCases.All.Where(c => c.Writes))
        {
            ExampleRun run = new(Path.Combine(disk.Path, "r.dat"), 20_000, runs: 1, CancellationToken.None);
            IOException error = await Should.ThrowAsync<IOException>(() => RunAsync(run, writing), writing.Name);
            error.Message.ShouldContain("r.dat", Shouldly.Case.Sensitive, writing.Name);
        }
    }

    private static Task RunAsync(ExampleRun run, ExampleCase example) =>
        new SliceRunner(CancellationToken.None).RunAsync(run.ContenderOf(example), TimeSpan.Zero);
}
