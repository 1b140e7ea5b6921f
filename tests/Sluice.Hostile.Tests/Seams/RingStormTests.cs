namespace Sluice.Hostile.Tests.Seams;

/// <summary>All that may happen to rings at once: no wrong byte, and an end of everything.</summary>
[Trait("Tier", "nightly")]
public sealed class RingStormTests : HostileTests
{
    [SkippableTheory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task Each_call_has_its_own_bytes_and_everything_ends(int seed)
    {
        Skip.If(SluiceEngines.Default.Name != "uring", $"this process has no ring: {SluiceEngines.UringReason}");
        using Child child = new([], [], "ring storm", Temp.Root, Temp.NewFifo(), $"{seed}");
        await child.SucceedAsync();
    }
}
