using Shouldly;
using Sluice.Cli.Report;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Report;

/// <summary>Whether a host takes free pages back is read from the devices that there are.</summary>
public sealed class FreePagesTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("0x0005", "0110010100", "given back to the host (virtio balloon, free page reporting)")]
    [InlineData("0x0005", "0110000100", "may be given back to the host (virtio balloon, without free page reporting)")]
    [InlineData("0x0002", "0110010100", "kept: no balloon")]
    public void A_balloon_is_known_by_its_device_and_features(string device, string features, string description)
    {
        Directory.CreateDirectory(_folder["virtio0"]);
        File.WriteAllText(_folder["virtio0/device"], device + "\n");
        File.WriteAllText(_folder["virtio0/features"], features + "\n");
        FreePages.Describe(_folder.FullPath).ShouldBe(description);
    }

    [Fact]
    public void Other_balloons_are_known_by_their_folders()
    {
        FreePages.Describe(_folder["none"], _folder["none"]).ShouldBe("kept: no balloon");
        Directory.CreateDirectory(_folder["hv_balloon"]);
        FreePages.Describe(_folder["none"], _folder["hv_balloon"]).ShouldBe("may be given back to the host (hv_balloon)");
    }
}
