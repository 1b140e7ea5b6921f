namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// A kernel that refuses a ring in its midst: nothing is lost or made twice, nothing stays open, and no descriptor of anybody else's is
/// touched. A refusal is for good, so that each is of a process of its own.
/// </summary>
public sealed class RefusedRingTests : HostileTests
{
    public static TheoryData<string> Kinds => RefusedRing.Kinds;

    [SkippableTheory]
    [MemberData(nameof(Kinds))]
    public async Task Whenever_a_borrowed_ring_is_refused_the_rest_goes_without_it(string kind)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "rings are Linux's");
        Skip.If(SluiceEngines.UringReason is not null, $"this process has no ring: {SluiceEngines.UringReason}");
        int refused = 0;
        for (int allowed = 0; allowed < 4; allowed++)
        {
            string folder = Directory.CreateDirectory(Temp.NewPath()).FullName;
            using Child child = new([], [], "refused ring", folder, kind, $"{allowed}");
            string? line = await child.Output.ReadLineAsync();
            await child.SucceedAsync();
            refused += line?.StartsWith("refused", StringComparison.Ordinal) == true ? 1 : 0;
        }

        refused.ShouldBeGreaterThan(0);
    }

    /// <summary>Nothing touches the memory of a ring that is closed already.</summary>
    [SkippableFact]
    public async Task A_ring_that_was_refused_and_closed_can_be_stopped()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "rings are Linux's");
        Skip.If(SluiceEngines.UringReason is not null, $"this process has no ring: {SluiceEngines.UringReason}");
        using Child child = new([], [], "stopped ring", Temp.NewFile(new byte[10]));
        await child.SucceedAsync();
    }
}
