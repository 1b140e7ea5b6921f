using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Names that are longer than what is there for them.</summary>
public sealed class LongNameSeamTests : HostileTests
{
    [LinuxFact]
    public void A_name_that_the_first_piece_has_no_room_for_is_read_in_the_second()
    {
        string folder = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string file = Path.Combine(folder, "file");
        File.WriteAllText(file, "");
        int reads = 0;
        SystemCallFaults.Use((call, _, _) => call == "getdents64" && reads++ == 0 ? -Errno.EINVAL : 0);
        string[] found = [.. SluiceFile.EnumerateFiles(folder)];
        SystemCallFaults.Use(null);
        found.ShouldBe([file]);
        reads.ShouldBe(3);
    }
}
