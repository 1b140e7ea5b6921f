using System.Text;
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
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_others_append_while_a_file_is_extended_stays(bool isInterrupted)
    {
        const int Old = 1 << 20;
        const int New = 128 << 20;
        using var memory = TempFolder.InMemory();
        byte[] before = new byte[Old];
        new Random(1).NextBytes(before);
        byte[] appended = [];
        int exitCode = isInterrupted ? ExitCode.Interrupted : ExitCode.Success;
        ToolRun ended = await UntilInTimeAsync(async () =>
        {
            using var interruption = new CancellationTokenSource();
            await File.WriteAllBytesAsync(memory["a"], before);
            Task<ToolRun> run = Task.Run(() =>
                ToolRun.RunAsync(["speed", "-t0.05", $"-r{New}", memory["a"]], null, interruption.Token));
            while (new FileInfo(memory["a"]).Length == Old && !run.IsCompleted)
                await Task.Yield();
            await using var log = new FileStream(memory["a"], FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
            using var all = new MemoryStream();
            bool isInTime = false;
            for (int i = 0; i < 100 && !run.IsCompleted; i++)
            {
                byte[] record = Encoding.ASCII.GetBytes($"mine {i}\n");
                await log.WriteAsync(record);
                all.Write(record);
                isInTime = !run.IsCompleted;
            }
            if (isInterrupted)
                await interruption.CancelAsync();
            appended = all.ToArray();
            ToolRun tried = await run;
            return isInTime && tried.ExitCode == exitCode ? tried : null;
        });
        ended.ExitCode.ShouldBe(exitCode, ended.Error);
        byte[] after = await File.ReadAllBytesAsync(memory["a"]);
        after.Length.ShouldBe(New + appended.Length);
        after.AsSpan(0, Old).SequenceEqual(before).ShouldBeTrue();
        after.AsSpan(New).SequenceEqual(appended).ShouldBeTrue();
    }

    [Fact]
    public async Task A_file_that_has_grown_since_it_was_looked_at_is_not_extended()
    {
        ToolRun ended = await UntilInTimeAsync(async () =>
        {
            foreach (string name in (string[])["a", "b"])
                await File.WriteAllBytesAsync(_folder[name], new byte[1000]);
            Task<ToolRun> run = Task.Run(() => ToolRun.RunAsync("speed", "-t0.05", "-r32M", _folder["a"], _folder["b"]));
            while (new FileInfo(_folder["a"]).Length == 1000 && !run.IsCompleted)
                await Task.Yield();
            bool isInTime = new FileInfo(_folder["b"]).Length == 1000;
            await File.AppendAllTextAsync(_folder["b"], "mine");
            ToolRun tried = await run;
            return isInTime && tried.ExitCode != ExitCode.Success ? tried : null;
        });
        ended.ExitCode.ShouldBe(ExitCode.IoError);
        ended.Error.ShouldContain("others write to it");
        byte[] after = await File.ReadAllBytesAsync(_folder["b"]);
        after.Length.ShouldBe(1004);
        after[1000..].ShouldBe("mine"u8.ToArray());
    }

    [SkippableTheory]
    [InlineData("-t0.05", "-r128M")]
    [InlineData("-t0", "-x128M")]
    public async Task Another_file_that_has_got_the_name_of_one_that_did_not_become_whole_stays(string time, string size)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "which file a name names is asked of Linux");
        using var memory = TempFolder.InMemory();
        await UntilInTimeAsync(async () =>
        {
            File.Delete(memory["a"]);
            await File.WriteAllTextAsync(memory["b"], "somebody's");
            using var interruption = new CancellationTokenSource();
            Task<ToolRun> run = Task.Run(() => ToolRun.RunAsync(["speed", time, size, memory["a"]], null, interruption.Token));
            while (!File.Exists(memory["a"]) && !run.IsCompleted)
                await Task.Yield();
            File.Move(memory["b"], memory["a"], overwrite: true);
            bool isInTime = !run.IsCompleted;
            await interruption.CancelAsync();
            ToolRun tried = await run;
            return isInTime && tried.ExitCode == ExitCode.Interrupted ? tried : null;
        });
        (await File.ReadAllTextAsync(memory["a"])).ShouldBe("somebody's");
    }

    [SkippableTheory]
    [InlineData("symbolic", true)]
    [InlineData("hard", true)]
    [InlineData("folder", true)]
    [InlineData("folder", false)]
    public async Task One_file_by_two_names_is_refused(string link, bool exists)
    {
        Skip.If(OperatingSystem.IsWindows(), "links need rights there");
        Directory.CreateDirectory(_folder["d"]);
        byte[] content = new byte[1 << 20];
        if (exists)
            await File.WriteAllBytesAsync(_folder["d/a"], content);
        string other = _folder["b"];
        if (link == "symbolic")
            File.CreateSymbolicLink(other, "d/a");
        else if (link == "hard")
            Shell.Run("ln", _folder["d/a"], other).ExitCode.ShouldBe(0);
        else
            other = Path.Combine(Directory.CreateSymbolicLink(other, "d").FullName, "a");
        ToolRun run = await ToolRun.RunAsync("speed", "-t0.2", "-w1M", "--force", "--verify", _folder["d/a"], other);
        run.ExitCode.ShouldBe(ExitCode.Usage, run.Error);
        run.Error.ShouldContain($"{_folder["d/a"]} and {other} are one file");
        File.Exists(_folder["d/a"]).ShouldBe(exists);
        if (exists)
            (await File.ReadAllBytesAsync(_folder["d/a"])).ShouldBe(content);
    }

    /// <summary>Where the tool was quicker than the test, which is null, once more.</summary>
    private static async Task<ToolRun> UntilInTimeAsync(Func<Task<ToolRun?>> tryAsync)
    {
        for (int tries = 0; tries < 100; tries++)
        {
            if (await tryAsync() is { } run)
                return run;
        }
        throw new InvalidOperationException("the tool was quicker a hundred times");
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
    [InlineData("speed -x1M -t-Infinity a.dat")]
    [InlineData("speed -t1 --warmup NaN a.dat")]
    [InlineData("speed -t1 --warmup -Infinity a.dat")]
    [InlineData("speed -t1 -s-Infinity a.dat")]
    [InlineData("speed -t1 -sNaN a.dat")]
    [InlineData("speed --iops NaN a.dat")]
    [InlineData("speed --iops Infinity a.dat")]
    public Task What_is_no_number_of_people_is_refused(string typed) => CommandChecks.IsRefusedAsync(typed);
}
