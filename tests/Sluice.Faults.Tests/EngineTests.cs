using Shouldly;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>What the ring engine makes, keeps and does without; each in a process of its own.</summary>
[Trait("Runs", "once")]
public sealed class EngineTests
{
    [SkippableFact]
    public async Task Synchronous_use_makes_neither_ring_nor_thread()
    {
        Dictionary<string, string> facts = await RunAsync("synchronous-only");
        facts["after"].ShouldBe("0 rings, 0 threads");
        facts["engine"].ShouldBe("uring");
        facts["asked"].ShouldBe("1 rings, 1 threads");
    }

    [SkippableFact]
    public async Task Where_no_thread_can_be_made_the_pool_serves_and_no_ring_is_left()
    {
        // The thread that compiles hot methods anew ends after some idle seconds, and the runtime dies where it cannot make another.
        Dictionary<string, string> facts = await RunAsync("no-threads", "env", "DOTNET_TieredCompilation=0");
        facts["engine"].ShouldBe("pool");
        facts["reason"].ShouldContain("thread");
        facts["after"].ShouldBe("0 rings, 0 threads");
    }

    [SkippableFact]
    public async Task A_refusal_in_mid_life_loses_nothing_and_the_pool_goes_on()
    {
        Dictionary<string, string> facts = await RunAsync("refused-later");
        facts["engineBefore"].ShouldBe("uring");
        facts["cancelled"].ShouldBe("OperationCanceledException");
        facts["waited"].ShouldBe("1 7");
        facts["engine"].ShouldBe("pool");
        facts["reason"].ShouldContain("EPERM");
    }

    private static async Task<Dictionary<string, string>> RunAsync(string scenario, params string[] before)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "rings are Linux's");
        Skip.If(
            SluiceEngines.UringReason is not null && Environment.GetEnvironmentVariable("SLUICE_ENGINE") != "pool",
            $"this process has no ring: {SluiceEngines.UringReason}");
        string folder = Directory.CreateTempSubdirectory("sluice-engine-").FullName;
        try
        {
            using ChildProcess child = new("uring", before, ["engine", scenario, folder]);
            string[] lines = await child.FinishAsync();
            child.ExitCode.ShouldBe(0, $"{scenario}: {string.Join('\n', lines)} {child.Errors}");
            Dictionary<string, string> facts = [];
            foreach (string line in lines)
            {
                facts[line[..line.IndexOf('=')]] = line[(line.IndexOf('=') + 1)..];
            }

            return facts;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
