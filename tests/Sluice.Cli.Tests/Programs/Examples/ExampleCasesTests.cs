using System.Reflection;
using System.Text.Json;
using Shouldly;
using Sluice.Cli.Programs.Examples;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Programs.Examples;

/// <summary>The tutorial: every case works, fails loudly, and is shown as it runs.</summary>
public sealed class ExampleCasesTests : FolderTest
{
    private static readonly string[] s_names = [.. new ExampleFile(path: "", count: 0, default).Rows.Select(r => r.Name)];

    public static TheoryData<string> Names => [.. s_names];

    [Fact]
    public void Each_method_of_code_is_a_case_and_is_shown_as_a_whole()
    {
        const BindingFlags own = BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly;
        string[] methods = [.. ((Type[])[typeof(ReadCases), typeof(WriteCases)]).SelectMany(t => t.GetMethods(own)).Select(m => m.Name)];
        methods.Select(m => JsonNamingPolicy.KebabCaseLower.ConvertName(m)).ShouldBe(s_names, ignoreOrder: true);
        foreach (string method in methods)
        {
            string code = ExampleCode.Of(JsonNamingPolicy.KebabCaseLower.ConvertName(method));
            code.ShouldStartWith("/// <summary>\n/// ");
            code.ShouldContain($" {method}(string path, ");
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
            ExampleFile file = Make(count);
            (await Timing.WrongAsync(Folder.FullPath, file.Rows.Single(r => r.Name == name))).ShouldBeEmpty();
        }
    }

    [Fact]
    public async Task What_is_read_or_written_wrong_is_found()
    {
        ExampleFile file = Make(100);
        byte[] bytes = await File.ReadAllBytesAsync(Folder["r.dat"]);
        bytes[5000] ^= 1;
        await File.WriteAllBytesAsync(Folder["r.dat"], bytes);
        TimedRow[] readings = [.. file.Rows.Where(r => !r.Writes)];
        (await Timing.WrongAsync(Folder.FullPath, readings)).ShouldBe(readings.Select(r => r.Name));

        TimedRow less = file.Rows[0] with
        {
            RunAsync = async () =>
            {
                await File.WriteAllTextAsync(Folder["r.dat"], "x");
                return null;
            },
        };
        (await Timing.RunAsync(Folder.FullPath, less)).Results.Single().Wrong.ShouldBe("1 bytes, not 10,000");
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task No_case_calls_a_file_written_that_did_not_fit()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], "512k");
        var file = new ExampleFile(Path.Combine(disk.Path, "r.dat"), 20_000, CancellationToken.None);
        foreach (TimedRow writing in file.Rows.Where(r => r.Writes))
        {
            IOException error = await Should.ThrowAsync<IOException>(() => Timing.RunAsync(disk.Path, writing), writing.Name);
            error.Message.ShouldContain("r.dat", Shouldly.Case.Sensitive, writing.Name);
        }
    }

    private ExampleFile Make(int count)
    {
        var file = new ExampleFile(Folder["r.dat"], count, CancellationToken.None);
        file.Make();
        return file;
    }
}
