using Shouldly;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A process has rings and their thread only when it needs them.</summary>
[Trait("Runs", "once")]
public sealed class EngineTests
{
    [LinuxFact]
    public async Task Synchronous_use_makes_neither_ring_nor_thread()
    {
        Skip.If(
            SluiceEngines.UringReason is not null && Environment.GetEnvironmentVariable("SLUICE_ENGINE") != "pool",
            $"this process has no ring: {SluiceEngines.UringReason}");
        using Mount mount = new(FileSystemKind.Local);
        using ChildProcess child = new("uring", "engine", mount.Folder);
        (await child.FinishAsync()).ShouldBe(["after=0 rings, 0 threads", "engine=uring", "asked=1 rings, 1 threads"], child.Errors);
    }
}
