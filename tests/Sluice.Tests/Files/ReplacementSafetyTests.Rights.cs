using Sluice.Handles;

namespace Sluice.Tests.Files;

/// <summary>Modes, access lists, owners and privileges: nobody can read, write or run afterwards what they could not before.</summary>
public sealed partial class ReplacementSafetyTests
{
    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task A_read_only_file_is_refused_as_File_refuses_it(bool copies)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "modes");
        string target = _temp.NewFile("old"u8);
        File.SetUnixFileMode(target, UnixFileMode.UserRead | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
        Exception? theirs = Record.Exception(() => File.WriteAllText(target, "new"));
        Exception? ours = await Record.ExceptionAsync(() => PutAsync(target, "newer", copies));
        ours?.GetType().ShouldBe(theirs?.GetType());

        // Root may write it, and this is then what File does too.
        (theirs is null).ShouldBe(Environment.IsPrivilegedProcess);
        File.ReadAllText(target).ShouldBe(theirs is null ? "newer" : "old");
    }

    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task What_the_folder_gives_to_others_by_default_is_not_given_to_a_file_that_was_there(bool copies)
    {
        string target = _temp.NewFile("old"u8);
        SetListOrSkip(_temp.Root, "system.posix_acl_default", List(7, (12345, 7), 7, 7, 0));
        File.SetUnixFileMode(target, OwnerReadWrite | UnixFileMode.GroupRead);
        await PutAsync(target, "new", copies, mode: OwnerReadWrite | UnixFileMode.GroupRead);
        Native.GetAttribute(target, "system.posix_acl_access").ShouldBeNull();
        File.GetUnixFileMode(target).ShouldBe(OwnerReadWrite | UnixFileMode.GroupRead);

        // Its own list stays, and so does what the mode says of it: its mask.
        SetListOrSkip(target, "system.posix_acl_access", List(6, (23456, 4), 0, 4, 0));
        byte[]? before = Native.GetAttribute(target, "system.posix_acl_access");
        await SluiceFile.ReplaceAtomicallyAsync(target, "newer");
        Native.GetAttribute(target, "system.posix_acl_access").ShouldBe(before);
        File.GetUnixFileMode(target).ShouldBe(OwnerReadWrite | UnixFileMode.GroupRead);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_preserving_copy_has_the_access_list_of_its_source_and_no_other(bool isTree)
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string listed = Path.Combine(source, "listed");
        string plain = Path.Combine(source, "plain");
        File.WriteAllText(listed, "x");
        File.WriteAllText(plain, "x");
        SetListOrSkip(listed, "system.posix_acl_access", List(6, (12345, 6), 0, 6, 0));
        File.SetUnixFileMode(plain, OwnerReadWrite | UnixFileMode.GroupRead);
        string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
        SetListOrSkip(folder, "system.posix_acl_default", List(7, (23456, 7), 7, 7, 7));
        CopyOptions options = new() { Recurse = isTree, PreserveMetadata = true };
        if (isTree)
        {
            folder = Path.Combine(folder, "copy");
            _ = await SluiceFile.CopyAsync(source, folder, options);
            Native.GetAttribute(folder, "system.posix_acl_access").ShouldBeNull();
            Native.GetAttribute(folder, "system.posix_acl_default").ShouldBeNull();
        }
        else
        {
            _ = await SluiceFile.CopyAsync(listed, Path.Combine(folder, "listed"), options);
            _ = await SluiceFile.CopyAsync(plain, Path.Combine(folder, "plain"), options);
        }

        foreach (string name in (string[])["listed", "plain"])
        {
            (string original, string copied) = (Path.Combine(source, name), Path.Combine(folder, name));
            Native.GetAttribute(copied, "system.posix_acl_access").ShouldBe(Native.GetAttribute(original, "system.posix_acl_access"), name);
            File.GetUnixFileMode(copied).ShouldBe(File.GetUnixFileMode(original), name);
        }

        // Where the list is not copied, its mask is not what the group may do: the source's group may do nothing.
        string without = _temp.NewPath();
        _ = await SluiceFile.CopyAsync(listed, without);
        Native.GetAttribute(without, "system.posix_acl_access").ShouldBeNull();
        File.GetUnixFileMode(without).ShouldBe(OwnerReadWrite);
    }

    /// <summary>A list may refuse somebody what everybody may do; without it he is one of everybody.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Whom_an_access_list_refuses_is_refused_by_a_copy_without_it(bool isTree)
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string listed = Path.Combine(source, "listed");
        File.WriteAllText(listed, "x");
        SetListOrSkip(listed, "system.posix_acl_access", List(6, (12345, 0), 6, 6, 4));
        string target = _temp.NewPath();
        _ = await SluiceFile.CopyAsync(isTree ? source : listed, target, new CopyOptions { Recurse = isTree });
        string copy = isTree ? Path.Combine(target, "listed") : target;
        Native.GetAttribute(copy, "system.posix_acl_access").ShouldBeNull();
        File.GetUnixFileMode(copy).ShouldBe(OwnerReadWrite);
    }

    /// <summary>Every small list, and everybody whom it may concern: who may not do something with it may not do it without it.</summary>
    [SkippableFact]
    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    public void A_mode_in_the_place_of_an_access_list_gives_nobody_more()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "access lists as Linux has them");
        const uint user = 7;
        const uint group = 8;
        foreach (bool hasGroup in (bool[])[false, true])
        {
            for (uint all = 0; all < 1 << 15; all++)
            {
                (uint named, uint own, uint other) = (all & 7, (all >> 3) & 7, (all >> 6) & 7);
                (uint namedGroup, uint mask) = ((all >> 9) & 7, (all >> 12) & 7);
                byte[] list =
                [
                    2, 0, 0, 0, .. Entry(1, 6, uint.MaxValue), .. Entry(2, named, user), .. Entry(4, own, uint.MaxValue),
                    .. hasGroup ? Entry(8, namedGroup, group) : [], .. Entry(16, mask, uint.MaxValue), .. Entry(32, other, uint.MaxValue),
                ];
                uint mode = NodeMetadata.WithoutList((6 << 6) | (mask << 3) | other, list);
                for (int person = 0; person < 8; person++)
                {
                    (bool isNamed, bool isOfOwn, bool isOfGroup) = ((person & 1) != 0, (person & 2) != 0, (person & 4) != 0);
                    uint after = isOfOwn ? (mode >> 3) & 7 : mode & 7;
                    bool inGroup = hasGroup && isOfGroup;
                    bool mayBefore = isNamed ? IsIn(after, named & mask)
                        : isOfOwn || inGroup ? (isOfOwn && IsIn(after, own & mask)) || (inGroup && IsIn(after, namedGroup & mask))
                        : IsIn(after, other);
                    if (!mayBefore)
                    {
                        Assert.Fail($"person {person}, list {Convert.ToHexString(list)}: {after} is too much");
                    }
                }
            }
        }

        static bool IsIn(uint wanted, uint given) => (wanted & ~given) == 0;

        static byte[] Entry(ushort tag, uint permissions, uint number) =>
            [.. BitConverter.GetBytes(tag), .. BitConverter.GetBytes((ushort)permissions), .. BitConverter.GetBytes(number)];
    }

    [SkippableFact]
    public async Task A_tree_has_the_permissions_of_its_source_whatever_the_folder_takes_off_by_default()
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string file = Path.Combine(source, "file");
        File.WriteAllText(file, "x");
        File.SetUnixFileMode(file, OwnerReadWrite | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
        string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
        SetListOrSkip(folder, "system.posix_acl_default", List(7, (12345, 5), 0, 5, 0));
        _ = await SluiceFile.CopyAsync(source, Path.Combine(folder, "tree"), new CopyOptions { Recurse = true });
        _ = await SluiceFile.CopyAsync(file, Path.Combine(folder, "alone"));
        File.GetUnixFileMode(Path.Combine(folder, "alone")).ShouldBe(File.GetUnixFileMode(file));
        File.GetUnixFileMode(Path.Combine(folder, "tree", "file")).ShouldBe(File.GetUnixFileMode(file));
    }

    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task Privileges_do_not_move_to_a_new_content(bool copies)
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can give capabilities");
        string target = _temp.NewFile("old"u8);
        File.SetUnixFileMode(target, OwnerReadWrite | UnixFileMode.SetUser | UnixFileMode.SetGroup | UnixFileMode.UserExecute);
        byte[] capability = [1, 0, 0, 2, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        Skip.If(Native.SetAttribute(target, "security.capability", capability) != 0, "this file system has no capabilities");
        await PutAsync(target, "new", copies, mode: OwnerReadWrite | UnixFileMode.UserExecute);
        File.GetUnixFileMode(target).ShouldBe(OwnerReadWrite | UnixFileMode.UserExecute);
        Native.GetAttribute(target, "security.capability").ShouldBeNull();

        // The same content, of the same owner, keeps them: as cp -a.
        _ = Native.SetAttribute(target, "security.capability", capability);
        File.SetUnixFileMode(target, OwnerReadWrite | UnixFileMode.SetUser | UnixFileMode.UserExecute);
        _ = Native.SetAttribute(target, "security.capability", capability);
        string kept = _temp.NewPath();
        _ = await SluiceFile.CopyAsync(target, kept, new CopyOptions { PreserveMetadata = true });
        File.GetUnixFileMode(kept).ShouldBe(File.GetUnixFileMode(target));
        Native.GetAttribute(kept, "security.capability").ShouldBe(capability);
    }

    [SkippableFact]
    public async Task Attributes_of_an_overlays_layers_are_not_copied()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can set such attributes");
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        Skip.If(Native.SetAttribute(source, "trusted.overlay.opaque", "y"u8.ToArray()) != 0, "this file system has no such attributes");
        string target = _temp.NewPath();
        _ = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, PreserveMetadata = true });
        Native.GetAttribute(target, "trusted.overlay.opaque").ShouldBeNull();
    }
}
