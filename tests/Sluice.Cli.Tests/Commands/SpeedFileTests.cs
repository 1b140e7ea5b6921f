using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>Files of others, and links, beside those that `speed` makes.</summary>
public sealed class SpeedFileTests : FolderTest
{
    [Fact]
    public void A_file_that_another_has_made_meanwhile_stays()
    {
        File.WriteAllText(Folder["a"], "somebody's");
        var options = new TargetOptions(Folder["a"], FileMode.CreateNew, FileAccess.ReadWrite);
        Should.Throw<IOException>(() => FileMaker.Create(IoSide.Sluice, options, 1 << 20, 4096, null, CancellationToken.None));
        File.ReadAllText(Folder["a"]).ShouldBe("somebody's");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_others_append_while_a_file_is_extended_stays(bool isInterrupted)
    {
        const int Old = 1 << 20;
        const int New = 4 << 20;
        string path = Folder.Make("a", Old);
        byte[] before = File.ReadAllBytes(path);
        using var interruption = new CancellationTokenSource();
        using (var target = new IoTarget(IoSide.Bcl, new TargetOptions(path, FileMode.Open, FileAccess.ReadWrite)))
        {
            void Extend() => FileMaker.Extend(target, path, Old, New, Append, interruption.Token);
            if (isInterrupted)
                Should.Throw<OperationCanceledException>(Extend);
            else
                Extend();
        }

        byte[] after = File.ReadAllBytes(path);
        after.AsSpan(0, Old).SequenceEqual(before).ShouldBeTrue();
        after.AsSpan(New).SequenceEqual("mine"u8).ShouldBeTrue();

        void Append(long reached)
        {
            if (reached > Old + (1 << 20))
                return;
            using var log = new FileStream(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
            log.Write("mine"u8);
            if (isInterrupted)
                interruption.Cancel();
        }
    }

    /// <summary>.NET's own call reports no error of a flush.</summary>
    [SkippableTheory]
    [InlineData(null)]
    [InlineData(1 << 20)]
    public async Task A_file_whose_bytes_did_not_reach_the_disk_is_not_made_or_extended(int? present)
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Shell.Run("strace", "--version").ExitCode == 0, "it needs strace");
        if (present is { } length)
            Folder.Make("a", length);
        string[] strace = ["strace", "-f", "-qq", "-o", Folder["trace"], "-e", "trace=fsync", "-e", "inject=fsync:error=EIO"];
        using ToolProcess tool = ToolProcess.StartAs(strace, Folder.FullPath, "speed", "-t0.05", "-r2M", "a");
        ToolRun run = await tool.EndAsync();
        Skip.If((await File.ReadAllTextAsync(Folder["trace"])).Length == 0, "this system does not let a process be traced");
        CommandChecks.ShouldFail(run, ExitCode.IoError, "input/output error");
        File.Exists(Folder["a"]).ShouldBe(present is not null);
        if (present is not null)
            new FileInfo(Folder["a"]).Length.ShouldBe(present.Value);
    }

    [SkippableFact]
    public void Another_file_that_has_got_the_name_of_one_that_did_not_become_whole_stays()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "which file a name names is asked of Linux");
        File.WriteAllText(Folder["b"], "somebody's");
        using var interruption = new CancellationTokenSource();
        var options = new TargetOptions(Folder["a"], FileMode.CreateNew, FileAccess.ReadWrite);
        Should.Throw<OperationCanceledException>(() => FileMaker.Create(IoSide.Sluice, options, 1 << 20, 4096, _ =>
        {
            File.Move(Folder["b"], Folder["a"], overwrite: true);
            interruption.Cancel();
        }, interruption.Token));
        File.ReadAllText(Folder["a"]).ShouldBe("somebody's");
    }

    [Fact]
    public void A_file_that_has_grown_since_it_was_looked_at_is_not_extended()
    {
        File.WriteAllBytes(Folder["a"], new byte[1004]);
        using var target = new IoTarget(IoSide.Bcl, new TargetOptions(Folder["a"], FileMode.Open, FileAccess.ReadWrite));
        Should.Throw<IOException>(() => FileMaker.Extend(target, "a", 1000, 1 << 20, null, CancellationToken.None))
            .Message.ShouldContain("others write to it");
        new FileInfo(Folder["a"]).Length.ShouldBe(1004);
    }

    [Theory]
    [InlineData("-x100K")]
    [InlineData("-p100K")]
    public async Task What_a_link_leads_to_is_made_anew_and_the_link_stays(string option)
    {
        await File.WriteAllTextAsync(Folder["real"], "old");
        File.CreateSymbolicLink(Folder["link"], "real");
        await ToolRun.SucceedAsync("speed", "-t0", option, "--engine", "both", "--force", Folder["link"]);
        new FileInfo(Folder["link"]).LinkTarget.ShouldBe("real");
        new FileInfo(Folder["real"]).Length.ShouldBe(100 * 1024);
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
        await File.WriteAllBytesAsync(Folder["a"], content);
        ToolRun run = await ToolRun.SucceedAsync(
            ["speed", "-t0.3", "--warmup", "0.1", "-b4K", "--force", "--verify", .. mix.Split(' '), .. depth, Folder["a"]]);
        run.Error.ShouldBe("");
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
