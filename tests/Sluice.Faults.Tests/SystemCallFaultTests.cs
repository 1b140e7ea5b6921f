using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Faults.Tests.SystemCalls;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// Each system call that an operation makes fails in turn, in each way that such a call may well fail, or does less than it was asked to:
/// then the result is right, or the exception says what was done to which file and why; nothing stays open, rented or lying about.
/// </summary>
[Trait("Tier", "slow")]
public sealed class SystemCallFaultTests(MountFixture fixture) : IClassFixture<MountFixture>
{
    private static readonly Dictionary<string, CallScenario> Scenarios =
        Enum.GetValues<FileCaching>().SelectMany(HandleScenarios.All)
            .Concat(new[] { FileCaching.Cached, FileCaching.Direct }.SelectMany(StreamScenarios.All))
            .Concat(OperatingSystem.IsLinux() ? FileScenarios.All() : [])
            .ToDictionary(static s => s.Name, StringComparer.Ordinal);

    public static TheoryData<string> Names => [.. Scenarios.Keys];

    [LinuxTheory]
    [MemberData(nameof(Names))]
    public async Task Whichever_call_fails_the_result_or_the_exception_is_right(string name)
    {
        (await CallFaultRunner.RunAsync(Scenarios[name], Folder())).ShouldBeGreaterThan(0);
    }

    [LinuxTheory]
    [MemberData(nameof(Names))]
    public async Task Nobody_sees_that_calls_were_interrupted(string name)
    {
        await CallFaultRunner.RunInterruptedAsync(Scenarios[name], Folder());
    }

    [LinuxTheory]
    [MemberData(nameof(Names))]
    public async Task Writes_that_take_nothing_are_an_error_and_no_hang(string name)
    {
        await CallFaultRunner.RunWithoutBytesAsync(Scenarios[name], Folder());
    }

    /// <summary>On a volume in memory where one can be had: there are thousands of flushes.</summary>
    private string Folder() => fixture.Get(FileSystemKind.Ext4).Folder;
}
