using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// A child process from which something was taken before it opened its first file: every promise holds, and the handle says what was
/// refused. (sysctl kernel.io_uring_disabled is the whole machine's, so the filter's EPERM, which the kernel gives too, stands for it.)
/// </summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class RefusalTests
{
    [LinuxTheory]
    [InlineData("setup-eperm", "pool", "EPERM")]
    [InlineData("register-eperm", "pool", "io_uring_register is refused")]
    [InlineData("enter-eperm", "pool", "io_uring_enter is refused")]
    [InlineData("statx-enosys", null, null)]
    [InlineData("vectored-enosys", null, null)]
    [InlineData("vectored-and-rings-enosys", "pool", "ENOSYS")]
    [InlineData("memlock", null, "RLIMIT_MEMLOCK")]
    public async Task Everything_works_and_the_reason_is_readable(string scenario, string? engine, string? reason)
    {
        Skip.If(scenario == "memlock" && !Environment.IsPrivilegedProcess, "dropping CAP_IPC_LOCK needs root");
        Skip.If(engine is not null && RingIsRefusedHere, $"this process has no ring to refuse: {SluiceEngines.UringReason}");
        Dictionary<string, string> facts = await RunAsync(scenario);
        if (engine is not null)
        {
            facts["engine"].ShouldBe(engine);
        }

        facts["uringReason"].ShouldBe(facts["engineReason"]);
        (facts["engineReason"].Length == 0).ShouldBe(facts["engine"] == "uring", facts["engineReason"]);
        if (reason is not null && facts["engine"] == "pool" && !RingIsRefusedHere)
        {
            facts["engineReason"].ShouldContain(reason);
        }
    }

    /// <summary>Asked for by the environment variable, or refused to the tests themselves: then the children have no ring either.</summary>
    private static bool RingIsRefusedHere => SluiceEngines.UringReason is not null
        && Environment.GetEnvironmentVariable("SLUICE_ENGINE") != "pool";

    private static async Task<Dictionary<string, string>> RunAsync(string scenario)
    {
        string folder = Directory.CreateTempSubdirectory("sluice-refusal-").FullName;
        try
        {
            // The ring is wanted here, whatever the variable of this run says.
            using ChildProcess child = new("uring", "refuse", scenario, folder);
            string[] lines = await child.FinishAsync();
            string failures = string.Join('\n', lines.Where(static l => l.StartsWith("fail ", StringComparison.Ordinal)));
            child.ExitCode.ShouldBe(0, $"{scenario}: {failures}{child.Errors}");
            lines.Count(static l => l.StartsWith("pass ", StringComparison.Ordinal)).ShouldBe(ConformanceChecks.Names.Count);
            Directory.GetFiles(folder).ShouldBeEmpty();
            return lines.Where(static l => l.Contains('=', StringComparison.Ordinal) && !l.StartsWith("pass ", StringComparison.Ordinal))
                .ToDictionary(static l => l[..l.IndexOf('=')], static l => l[(l.IndexOf('=') + 1)..]);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
