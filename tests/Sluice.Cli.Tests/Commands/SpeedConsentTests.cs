using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>Nothing that exists is overwritten without --force or a yes.</summary>
[Trait("Runs", "once")]
public sealed class SpeedConsentTests : FolderTest
{
    private const string Contents = "a document that someone still needs";
    private string FilePath => Folder["a.dat"];

    private async Task<ToolRun> RunOnExistingAsync(string options, string? typed)
    {
        await File.WriteAllTextAsync(FilePath, Contents);
        return await ToolRun.RunAsync(["speed", .. options.Split(' '), FilePath], typed, CancellationToken.None);
    }

    [Theory]
    [InlineData("-x1M", null, "--force")]
    [InlineData("-p1M", null, "--force")]
    [InlineData("-w1M", null, "--force")]
    [InlineData("-w16 -b16", null, "--force")]
    [InlineData("--mix 50:50 -b16", null, "--force")]
    [InlineData("-p1M", "n\n", "left as it was")]
    [InlineData("-p1M", "\n", "left as it was")]
    [InlineData("-p1M", "", "left as it was")]
    [InlineData("-w1M", "yess\n", "left as it was")]
    public async Task Without_a_yes_an_existing_file_is_left_alone(string options, string? typed, string words)
    {
        ToolRun run = await RunOnExistingAsync($"-t0.05 {options}", typed);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldContain(words);
        run.Out.ShouldBe("");
        (await File.ReadAllTextAsync(FilePath)).ShouldBe(Contents);
    }

    [Theory]
    [InlineData("-p1M", "y\n", true)]
    [InlineData("-p1M", "YES\n", true)]
    [InlineData("-p1M --force", "n\n", false)]
    public async Task A_yes_or_force_is_enough(string options, string typed, bool isAsked)
    {
        ToolRun run = await RunOnExistingAsync($"-t0.05 {options}", typed);
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Error.Contains("Delete it and make a new one? [y/N]", StringComparison.Ordinal).ShouldBe(isAsked);
        new FileInfo(FilePath).Length.ShouldBe(1024 * 1024);
    }

    [Fact]
    public async Task Without_a_size_an_existing_file_is_measured_as_it_is()
    {
        ToolRun run = await RunOnExistingAsync("-t0.05 -b16", typed: null);
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Out.ShouldContain("measured as it is");
        (await File.ReadAllTextAsync(FilePath)).ShouldBe(Contents);
    }

    [Theory]
    [InlineData("-t0.05 -b16 --force")]
    [InlineData("-t0.05 -b16 -w --force")]
    [InlineData("-t0.05 -b16 --mix 50:50 --force")]
    [InlineData("-t0.05 --force")]
    [InlineData("-t0.05 -x --force")]
    [InlineData("-t0.05 -p --force")]
    public async Task Force_never_grows_a_file_without_a_size(string options)
    {
        await RunOnExistingAsync(options, typed: null);
        new FileInfo(FilePath).Length.ShouldBe(Contents.Length);
    }

    [Fact]
    public async Task The_size_of_a_link_is_that_of_its_file()
    {
        byte[] content = new byte[200_000];
        await File.WriteAllBytesAsync(Folder["real"], content);
        File.CreateSymbolicLink(FilePath, Folder["real"]);
        ToolRun run = await ToolRun.SucceedAsync("speed", "-t0.05", "-r100K", FilePath);
        run.Out.ShouldNotContain("extended");
        (await File.ReadAllBytesAsync(Folder["real"])).ShouldBe(content);
    }

    [Theory]
    [InlineData("a.dat", "leads back to itself")]
    [InlineData("nowhere", "which does not exist")]
    public async Task A_link_that_leads_to_nothing_is_called_so(string target, string words)
    {
        File.CreateSymbolicLink(FilePath, target);
        await CommandChecks.FailsAsync(words, "speed", "-t0.05", FilePath);
        await CommandChecks.FailsAsync(words, "copy", FilePath, Folder["b"]);
        await CommandChecks.FailsAsync(words, "extents", FilePath);
        await CommandChecks.FailsAsync(words, "doctor", FilePath);
        await CommandChecks.FailsAsync(words, "ops", FilePath);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task Writing_to_a_block_device_needs_more_than_force()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "block devices are found by Linux's sysfs");
        // A loop device over a file of our own: were the refusal missing, only that file would be written.
        string backing = Folder["disk.img"];
        await File.WriteAllBytesAsync(backing, new byte[1024 * 1024]);
        using TestVolume loop = TestVolume.AttachLoop(backing);

        foreach (string options in new[] { "-t0.05 -w", "-t0.05 -w --force", "-t0.05 --mix 1:1 --force" })
            await CommandChecks.RefusesAsync("--i-know-this-destroys-data", ["speed", .. options.Split(' '), loop.Path]);
        (await File.ReadAllBytesAsync(backing)).ShouldAllBe(b => b == 0);

        await CommandChecks.RefusesAsync("", "speed", "-t0.05", "-p", "--force", "--i-know-this-destroys-data", loop.Path);
        ToolRun read = await ToolRun.RunAsync("speed", "-t0.05", loop.Path);
        read.Error.ShouldBe("");
        read.Out.ShouldContain($"{loop.Path}, 1 MiB: read");
        ToolRun written = await ToolRun.SucceedAsync("speed", "-t0.05", "-w", "--i-know-this-destroys-data", loop.Path);
        written.Error.ShouldBe("");
        (await File.ReadAllBytesAsync(backing)).ShouldContain(b => b != 0);
    }
}
