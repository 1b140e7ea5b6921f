using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>Files of others, and links, beside those that `speed` makes.</summary>
public sealed class SpeedFileTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("-t0.05", "-r32M")]
    [InlineData("-t0", "-x32M")]
    [InlineData("-t0", "-p32M")]
    public async Task A_file_that_another_has_made_meanwhile_stays(string time, string size)
    {
        // Files are made one after the other: while the first is, somebody makes the second. Where the tool was quicker, once more.
        ToolRun? ended = null;
        for (int tries = 0; ended is null; tries++)
        {
            tries.ShouldBeLessThan(100);
            File.Delete(_folder["a"]);
            File.Delete(_folder["b"]);
            Task<ToolRun> run = Task.Run(() => ToolRun.RunAsync("speed", time, size, _folder["a"], _folder["b"]));
            while (!File.Exists(_folder["a"]) && !run.IsCompleted)
                await Task.Yield();
            bool isFirst = _folder.TryMake("b", "somebody's");
            ToolRun tried = await run;
            ended = isFirst ? tried : null;
        }
        ended.ExitCode.ShouldBe(ExitCode.IoError, ended.Error);
        File.Exists(_folder["b"]).ShouldBeTrue();
        (await File.ReadAllTextAsync(_folder["b"])).ShouldBe("somebody's");
    }

    [Theory]
    [InlineData("-x100K")]
    [InlineData("-p100K")]
    public async Task What_a_link_leads_to_is_made_anew_and_the_link_stays(string option)
    {
        await File.WriteAllTextAsync(_folder["real"], "old");
        File.CreateSymbolicLink(_folder["link"], "real");
        ToolRun run = await ToolRun.RunAsync("speed", "-t0", option, "--engine", "both", "--force", _folder["link"]);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        new FileInfo(_folder["link"]).LinkTarget.ShouldBe("real");
        new FileInfo(_folder["real"]).Length.ShouldBe(100 * 1024);
    }

    [Theory]
    [InlineData("--mix 50:50", null)]
    [InlineData("--mix 50:50", "8")]
    [InlineData("--mix 30:70 -s100", "3")]
    public async Task Writes_of_a_mix_are_verified_for_what_they_are(string mix, string? outstanding)
    {
        string[] depth = outstanding is null ? [] : [$"-a{outstanding}"];
        byte[] content = new byte[1 << 20];
        new Random(1).NextBytes(content);
        await File.WriteAllBytesAsync(_folder["a"], content);
        ToolRun run = await ToolRun.RunAsync(
            ["speed", "-t0.3", "--warmup", "0.1", "-b4K", "--force", "--verify", .. mix.Split(' '), .. depth, _folder["a"]]);
        run.Error.ShouldBe("");
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Out.ShouldContain(" 0 with other bytes");
    }

    [Theory]
    [InlineData("speed -tNaN a.dat")]
    [InlineData("speed -x1M -t-Infinity a.dat")]
    [InlineData("speed -t1 --warmup NaN a.dat")]
    [InlineData("speed -t1 --warmup -Infinity a.dat")]
    [InlineData("speed -t1 -s-Infinity a.dat")]
    [InlineData("speed -t1 -sNaN a.dat")]
    [InlineData("speed --iops NaN a.dat")]
    [InlineData("speed --iops Infinity a.dat")]
    public Task What_is_no_number_of_people_is_refused(string typed) => CommandChecks.IsRefusedAsync(typed);
}
