namespace Sluice.Hostile.Tests.Seams;

/// <summary>Rings are made when the first operation needs them, and others come meanwhile.</summary>
public sealed class StartingRingsTests : HostileTests
{
    [SkippableFact]
    public async Task No_operation_goes_to_a_ring_that_is_being_made()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "rings are Linux's");
        Skip.If(SluiceEngines.UringReason is not null, $"this process has no ring: {SluiceEngines.UringReason}");
        using Child child = new([], [("SLUICE_RINGS", "2")], "starting rings", Temp.NewFile(new byte[10]));
        await child.SucceedAsync();
    }
}
