using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>Nothing that exists is overwritten without --force or a yes.</summary>
[Trait("Runs", "once")]
public sealed class SpeedConsentTests : IDisposable
{
    private const string Contents = "a document that someone still needs";
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    private string FilePath => _folder["a.dat"];

    private async Task<ToolRun> RunOnExistingAsync(string options, string? typed)
    {
        await File.WriteAllTextAsync(FilePath, Contents);
        return await ToolRun.RunAsync(["speed", .. options.Split(' '), FilePath], typed, CancellationToken.None);
    }

    [Theory]
    [InlineData("-t0.05 -x1M")]
    [InlineData("-t0.05 -p1M")]
    [InlineData("-t0.05 -w1M")]
    [InlineData("-t0.05 -w16 -b16")]
    [InlineData("-t0.05 --mix 50:50 -b16")]
    public async Task Where_nobody_can_be_asked_an_existing_file_is_refused(string options)
    {
        ToolRun run = await RunOnExistingAsync(options, typed: null);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldContain("--force");
        run.Error.TrimEnd('\n').ShouldNotContain("\n");
        (await File.ReadAllTextAsync(FilePath)).ShouldBe(Contents);
    }

    [Theory]
    [InlineData("-t0.05 -p1M", "n\n")]
    [InlineData("-t0.05 -p1M", "\n")]
    [InlineData("-t0.05 -p1M", "")]
    [InlineData("-t0.05 -w1M", "yess\n")]
    public async Task Anything_but_yes_leaves_the_file_alone(string options, string typed)
    {
        ToolRun run = await RunOnExistingAsync(options, typed);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldContain("left as it was");
        run.Out.ShouldBe("");
        (await File.ReadAllTextAsync(FilePath)).ShouldBe(Contents);
    }

    [Theory]
    [InlineData("y\n")]
    [InlineData("YES\n")]
    public async Task A_yes_is_enough(string typed)
    {
        ToolRun run = await RunOnExistingAsync("-t0.05 -p1M", typed);
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Error.ShouldContain("Delete it and make a new one? [y/N]");
        new FileInfo(FilePath).Length.ShouldBe(1024 * 1024);
    }

    [Fact]
    public async Task Force_asks_nothing()
    {
        ToolRun run = await RunOnExistingAsync("-t0.05 -p1M --force", typed: "n\n");
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Error.ShouldBe("");
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
        await File.WriteAllBytesAsync(_folder["real"], content);
        File.CreateSymbolicLink(FilePath, _folder["real"]);
        ToolRun run = await ToolRun.RunAsync("speed", "-t0.05", "-r100K", FilePath);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldNotContain("extended");
        (await File.ReadAllBytesAsync(_folder["real"])).ShouldBe(content);
    }

    [Theory]
    [InlineData("a.dat", "leads back to itself")]
    [InlineData("nowhere", "which does not exist")]
    public async Task A_link_that_leads_to_nothing_is_called_so(string target, string words)
    {
        File.CreateSymbolicLink(FilePath, target);
        await CommandChecks.FailsAsync(words, "speed", "-t0.05", FilePath);
        await CommandChecks.FailsAsync(words, "copy", FilePath, _folder["b"]);
        await CommandChecks.FailsAsync(words, "extents", FilePath);
        await CommandChecks.FailsAsync(words, "doctor", FilePath);
        await CommandChecks.FailsAsync(words, "ops", FilePath);
    }

    [Trait("Tier", "slow")]
    [SkippableTheory]
    [InlineData("--cache cold", "cold: asked for, but tmpfs")]
    [InlineData("-d -p1M --force", "direct and preallocate: asked for, but tmpfs")]
    public async Task What_takes_no_effect_on_a_file_system_in_memory_is_said(string options, string words)
    {
        using TestVolume disk = TestVolume.MountMemory(_folder["disk"], "4m");
        string file = Path.Combine(disk.Path, "a");
        await File.WriteAllBytesAsync(file, new byte[1024 * 1024]);
        ToolRun run = await ToolRun.RunAsync(["speed", "-t0.05", .. options.Split(' '), file]);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain(words);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task A_small_file_on_a_small_disk_is_measured_as_it_is()
    {
        using TestVolume disk = TestVolume.MountMemory(_folder["disk"], "2m");
        string file = Path.Combine(disk.Path, "a");
        await File.WriteAllBytesAsync(file, new byte[1024 * 1024]);
        ToolRun run = await ToolRun.RunAsync("speed", "-t0.05", file);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain("measured as it is");
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task Writing_to_a_block_device_needs_more_than_force()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "block devices are found by Linux's sysfs");
        // A loop device over a file of our own: were the refusal missing, only that file would be written.
        string backing = _folder["disk.img"];
        await File.WriteAllBytesAsync(backing, new byte[1024 * 1024]);
        using TestVolume loop = TestVolume.AttachLoop(backing);

        foreach (string options in new[] { "-t0.05 -w", "-t0.05 -w --force", "-t0.05 --mix 1:1 --force" })
        {
            ToolRun refused = await ToolRun.RunAsync(["speed", .. options.Split(' '), loop.Path]);
            refused.ExitCode.ShouldBe(ExitCode.Usage, options);
            refused.Error.ShouldContain("--i-know-this-destroys-data");
        }
        (await File.ReadAllBytesAsync(backing)).ShouldAllBe(b => b == 0);

        ToolRun created = await ToolRun.RunAsync("speed", "-t0.05", "-p", "--force", "--i-know-this-destroys-data", loop.Path);
        created.ExitCode.ShouldBe(ExitCode.Usage);
        ToolRun read = await ToolRun.RunAsync("speed", "-t0.05", loop.Path);
        read.Error.ShouldBe("");
        read.Out.ShouldContain($"{loop.Path}, 1 MiB: read");
        ToolRun written = await ToolRun.RunAsync("speed", "-t0.05", "-w", "--i-know-this-destroys-data", loop.Path);
        written.Error.ShouldBe("");
        written.ExitCode.ShouldBe(ExitCode.Success);
        (await File.ReadAllBytesAsync(backing)).ShouldContain(b => b != 0);
    }
}
