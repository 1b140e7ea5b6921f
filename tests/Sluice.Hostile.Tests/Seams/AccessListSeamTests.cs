using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>An access list of which the system does not tell gives nobody more than he had.</summary>
public sealed class AccessListSeamTests : HostileTests
{
    /// <summary>An access list: the owner, user 12345 and the mask have rw, the group and others nothing.</summary>
    private static readonly byte[] List =
    [
        2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 6, 0, 0x39, 0x30, 0, 0, 4, 0, 0, 0, 255, 255, 255, 255,
        0x10, 0, 6, 0, 255, 255, 255, 255, 0x20, 0, 0, 0, 255, 255, 255, 255,
    ];

    private static readonly byte[] Content = Bytes.Pattern(700_000);

    /// <summary>
    /// The mode of a file with an access list shows its group what the list gives to others: without the list the group may not have it.
    /// </summary>
    [LinuxTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Where_it_is_not_told_whether_there_is_an_access_list_the_group_gets_nothing_by_it(bool isTree)
    {
        string folder = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string source = Path.Combine(folder, "file");
        File.WriteAllBytes(source, Content);

        Skip.If(Native.SetAttribute(source, "system.posix_acl_access", List) != 0, "this file system has no access lists");
        SystemCallFaults.Use((call, _, _) => call is "fgetxattr" or "getxattr" ? -Errno.EIO : 0);
        string target = Temp.NewPath();
        await SluiceFile.CopyAsync(isTree ? folder : source, target, new CopyOptions { Recurse = isTree });
        SystemCallFaults.Use(null);
        if (!OperatingSystem.IsWindows())
        {
            File.GetUnixFileMode(isTree ? Path.Combine(target, "file") : target)
                .ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite);
        }
    }

    /// <summary>What the folder gives to others by default is taken off though nobody says that it is there.</summary>
    [LinuxFact]
    public async Task Where_it_is_not_told_what_a_new_file_has_got_from_its_folder_it_is_taken_off()
    {
        string source = Temp.NewFile(Content);
        string folder = Directory.CreateDirectory(Temp.NewPath()).FullName;
        string target = Path.Combine(folder, "target");
        File.WriteAllText(target, "old");
        Skip.If(Native.SetAttribute(folder, "system.posix_acl_default", List) != 0, "this file system has no access lists");
        int failed = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            string name = OpenFiles.NameOf(fd);
            bool isNew = call == "fgetxattr" && OpenFiles.IsIn(folder, name) && name != target && name != folder;
            failed += isNew ? 1 : 0;
            return isNew ? -Errno.EIO : 0;
        });
        await SluiceFile.CopyAsync(source, target, new CopyOptions { Overwrite = true });
        SystemCallFaults.Use(null);
        failed.ShouldBeGreaterThan(0);
        Native.GetAttribute(target, "system.posix_acl_access").ShouldBeNull();
    }
}
