using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Faults.Tests.SystemCalls;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// Each system call that an operation makes fails in turn, in each way that such a call may well fail, or does less than it was asked to:
/// then the result is right, or the exception says what was done to which file and why; nothing stays open, rented or lying about.
/// </summary>
public sealed class SystemCallFaultTests(MountFixture fixture) : IClassFixture<MountFixture>
{
    private static readonly Dictionary<string, CallScenario> Scenarios =
        Enum.GetValues<FileCaching>().SelectMany(HandleScenarios.All)
            .Concat(Enum.GetValues<FileCaching>().SelectMany(StreamScenarios.All))
            .Concat(OperatingSystem.IsLinux() ? FileScenarios.All() : [])
            .ToDictionary(static s => s.Name, StringComparer.Ordinal);

    public static TheoryData<string> Names => [.. Scenarios.Keys];

    [SkippableTheory]
    [MemberData(nameof(Names))]
    public async Task Whichever_call_fails_the_result_or_the_exception_is_right(string name)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the calls are those of Linux");
        // On a volume in memory where one can be had: there are thousands of flushes.
        using Mount local = new(FileSystemKind.Local);
        Mount mount = fixture.Get(FileSystemKind.Ext4);
        string root = mount.Refusal is null ? mount.Folder : local.Folder;
        (await CallFaultRunner.RunAsync(Scenarios[name], root)).ShouldBeGreaterThan(0);
    }
}
