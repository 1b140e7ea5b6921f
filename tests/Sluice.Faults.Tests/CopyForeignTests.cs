using Shouldly;
using Sluice.Copying;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// Copies and replacements where the file system gives all that is made an owner and rights of its own choice, by root and by somebody who
/// owns nothing there: as with File.Copy, the bytes come whole, and what cannot be kept is no error.
/// </summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class CopyForeignTests : FaultTests
{
    public CopyForeignTests() => Command.Run("chmod", "755", Root);

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Files_and_trees_are_copied_whatever_rights_the_file_system_gives(bool isNobody)
    {
        string[] before = isNobody ? OtherUser.OrSkip() : [];
        using Mount mount = Mount.OrSkip(FileSystemKind.BindfsWithoutRights);
        Command.Run("chmod", "755", Path.GetDirectoryName(mount.Folder)!);
        byte[] content = Pattern.Bytes(3, 300_001);
        string source = Directory.CreateDirectory(Path.Combine(Root, "source")).FullName;
        string below = Directory.CreateDirectory(Path.Combine(source, "below")).FullName;
        string[] files = [Path.Combine(source, "large"), Path.Combine(below, "small")];
        await File.WriteAllBytesAsync(files[0], content);
        await File.WriteAllBytesAsync(files[1], content.AsMemory(0, 1000));
        File.CreateSymbolicLink(Path.Combine(below, "link"), "small");
        Command.Run("chmod", "-R", "755", source);

        string tree = Path.Combine(mount.Folder, "tree");
        (await ChildProcess.OnceAsync(before, "plain", source, tree)).ShouldBe("done");
        foreach (string file in files)
        {
            File.ReadAllBytes(Path.Combine(tree, Path.GetRelativePath(source, file))).ShouldBe(File.ReadAllBytes(file));
        }

        new FileInfo(Path.Combine(tree, "below", "link")).LinkTarget.ShouldBe("small");

        // Again, over what is there; a file alone, new and over another; and a replacement.
        (await ChildProcess.OnceAsync(before, "plain", source, tree)).ShouldBe("done");
        string alone = Path.Combine(mount.Folder, "alone");
        (await ChildProcess.OnceAsync(before, "plain", files[1], alone)).ShouldBe("done");
        (await ChildProcess.OnceAsync(before, "plain", files[0], alone)).ShouldBe("done");
        File.ReadAllBytes(alone).ShouldBe(content);
        (await ChildProcess.OnceAsync(before, "replace", alone)).ShouldBe("done");
        (await File.ReadAllTextAsync(alone)).ShouldBe("new");
        Directory.GetFileSystemEntries(mount.Folder, "*", SearchOption.AllDirectories)
            .ShouldAllBe(path => !path.EndsWith(".sluice-tmp", StringComparison.Ordinal));
    }

    /// <summary>The copies of other systems than Linux, run here: to a file system that takes no link of more than 1024 bytes.</summary>
    [SkippableFact]
    public void A_link_that_cannot_be_made_leaves_what_it_was_to_replace()
    {
        using Mount mount = Mount.OrSkip(FileSystemKind.Xfs);
        string source = Directory.CreateDirectory(Path.Combine(Root, "source")).FullName;
        File.CreateSymbolicLink(Path.Combine(source, "a"), new string('x', 2000));
        string old = Path.Combine(mount.Folder, "a");
        File.WriteAllText(old, "old");
        Should.Throw<FileBatchException>(() => PortableCopier.Copy(
            source, mount.Folder, new CopyOptions { Recurse = true, Overwrite = true }, new CopyMeter(null), CancellationToken.None));
        File.ReadAllText(old).ShouldBe("old");
        Directory.GetFileSystemEntries(mount.Folder).ShouldBe([old]);
    }
}
