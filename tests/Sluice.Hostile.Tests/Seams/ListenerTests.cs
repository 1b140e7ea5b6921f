namespace Sluice.Hostile.Tests.Seams;

/// <summary>Who listens to the meter and the event source takes nothing from transfers, nor from others who listen.</summary>
[Trait("Tier", "slow")]
public sealed class ListenerTests : HostileTests
{
    [Theory]
    [InlineData("does nothing")]
    [InlineData("blocks")]
    [InlineData("reads")]
    [InlineData("comes and goes")]
    public async Task Whatever_a_listener_does(string kind)
    {
        using Child child = new([], [], "listener", Temp.Root, kind);
        await child.SucceedAsync();
    }

    [SkippableFact]
    public async Task Failed_and_cancelled_transfers_are_counted_once()
    {
        Skip.If(OperatingSystem.IsWindows(), "its pipes are other handles");
        using Child child = new([], [], "counted", Temp.Root);
        await child.SucceedAsync();
    }
}
