using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// What method takes effect on each file system, and what a kill at a random moment leaves where blocks can be shared and where they
/// cannot.
/// </summary>
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class CopyCrashTests
{
    private const int Length = 3_000_001;

    private const string ListingScript = """
        cd "$0" && {
          find . -type d -printf '%P|%m|%U|%G|%T@\n'
          find . -type f -printf '%P|%m|%U|%G|%s|%T@|%n\n' -exec md5sum {} +
        } | sort
        """;

    [Trait("Tier", "nightly")]
    [LinuxTheory]
    [InlineData(FileSystemKind.Local)]
    [InlineData(FileSystemKind.Btrfs)]
    public async Task A_killed_copy_leaves_a_whole_file_and_can_be_made_again(FileSystemKind kind)
    {
        using Mount mount = Mount.OrSkip(kind);
        string folder = Directory.CreateDirectory(Path.Combine(mount.Folder, "copies")).FullName;
        string target = Path.Combine(folder, "target");
        byte[][] contents = [Pattern.Bytes(1, Length), Pattern.Bytes(2, Length - 5000)];
        await File.WriteAllBytesAsync(Path.Combine(folder, "source-0"), contents[0]);
        await File.WriteAllBytesAsync(Path.Combine(folder, "source-1"), contents[1]);
        CopyMethod[] methods = [CopyMethod.Buffered, CopyMethod.CopyFileRange, CopyMethod.Direct, CopyMethod.Auto];
        ChildProcess StartChild(int kill) => new(null, "copy", folder, $"{methods[kill % methods.Length]}");
        await Kills.RunAsync(20_261_121 + (int)kind, 6, StartChild, async (kill, _, rest) =>
        {
            byte[] found = await File.ReadAllBytesAsync(target);
            FileModel.ShouldMatch(found, contents[found.Length == Length ? 0 : 1], $"{kind}, after kill {kill}");
            FileModel.ShouldMatch(await File.ReadAllBytesAsync(Path.Combine(folder, "source-0")), contents[0], "the source");
            return rest is [.., "next"];
        });

        CopyResult resumed = await SluiceFile.CopyAsync(
            Path.Combine(folder, "source-1"), target, new CopyOptions { Overwrite = true, Resume = true, Verify = true });
        resumed.Bytes.ShouldBe(contents[1].Length);
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(target), contents[1], "resumed");
    }

    [Trait("Tier", "nightly")]
    [LinuxTheory]
    [InlineData(FileSystemKind.Local)]
    [InlineData(FileSystemKind.Btrfs)]
    public async Task A_killed_copy_of_a_tree_leaves_no_part_with_its_sources_time_and_is_gone_on_from(FileSystemKind kind)
    {
        using Mount mount = Mount.OrSkip(kind);
        string folder = Directory.CreateDirectory(Path.Combine(mount.Folder, "copies")).FullName;
        string source = Directory.CreateDirectory(Path.Combine(folder, "tree")).FullName;
        for (int i = 0; i < 120; i++)
        {
            string below = Directory.CreateDirectory(Path.Combine(source, $"{i % 7}")).FullName;
            string file = Path.Combine(below, $"{i}");
            await File.WriteAllBytesAsync(file, Pattern.Bytes(i, i * 331));
            File.SetUnixFileMode(file, (UnixFileMode)(0x180 | (i % 0x40)));
            File.SetLastWriteTimeUtc(file, DateTime.UnixEpoch.AddSeconds(i * 100_000));
        }

        Command.Run("ln", Path.Combine(source, "3", "3"), Path.Combine(source, "5", "second name"));
        string copy = Path.Combine(folder, "copy");
        string expected = Listing(source);
        await Kills.RunAsync(20_261_122 + (int)kind, 40, _ => new ChildProcess(null, "copy-tree", folder), async (kill, _, _) =>
        {
            foreach (string gone in Directory.GetDirectories(folder, "gone-*"))
            {
                Directory.Delete(gone, recursive: true);
            }

            bool isHit = Directory.Exists(copy) && Listing(copy) != expected;
            foreach (string file in isHit ? Directory.GetFiles(copy, "*", SearchOption.AllDirectories) : [])
            {
                string original = Path.Combine(source, Path.GetRelativePath(copy, file));
                if (File.GetLastWriteTimeUtc(file) == File.GetLastWriteTimeUtc(original))
                {
                    byte[] content = await File.ReadAllBytesAsync(original);
                    FileModel.ShouldMatch(await File.ReadAllBytesAsync(file), content, file);
                }
            }

            CopyOptions options = new() { Recurse = true, PreserveMetadata = true, SkipUnchanged = true, Overwrite = true };
            _ = await SluiceFile.CopyAsync(source, copy, options);
            Listing(copy).ShouldBe(expected, $"{kind}, gone on from after kill {kill}");
            Directory.Delete(copy, recursive: true);
            return isHit;
        });

        // Contents by checksum; names, types, modes, owners, sizes, times, numbers of names.
        static string Listing(string root) => Command.Run("sh", "-c", ListingScript, root);
    }

    [Trait("Tier", "slow")]
    [LinuxTheory]
    [InlineData(FileSystemKind.Local, false)]
    [InlineData(FileSystemKind.Tmpfs, false)]
    [InlineData(FileSystemKind.Ext4, false)]
    [InlineData(FileSystemKind.Xfs, true)]
    [InlineData(FileSystemKind.Btrfs, true)]
    public async Task Blocks_are_shared_where_the_file_system_can(FileSystemKind kind, bool isShared)
    {
        using Mount mount = Mount.OrSkip(kind);
        string source = Path.Combine(mount.Folder, "source");
        byte[] content = Pattern.Bytes(3, 3_000_123);
        await File.WriteAllBytesAsync(source, content);
        foreach (CopyMethod method in Enum.GetValues<CopyMethod>())
        {
            string target = Path.Combine(mount.Folder, $"{method}");
            CopyOptions options = new() { Method = method, FlushToDisk = true };
            if (method == CopyMethod.Reflink && !isShared && kind != FileSystemKind.Local)
            {
                (await Should.ThrowAsync<IOException>(() =>
                    SluiceFile.CopyAsync(source, target, options))).Message.ShouldContain("Reflink");
                File.Exists(target).ShouldBeFalse();
                continue;
            }

            if (method == CopyMethod.Reflink && kind == FileSystemKind.Local)
            {
                continue;
            }

            CopyResult result = await SluiceFile.CopyAsync(source, target, options);
            FileModel.ShouldMatch(await File.ReadAllBytesAsync(target), content, $"{kind}, {method}");
            result.Bytes.ShouldBe(content.Length, $"{kind}, {method}");
            if (method == CopyMethod.Auto && kind != FileSystemKind.Local)
            {
                (result.Method == CopyMethod.Reflink).ShouldBe(isShared, result.MethodReason);
            }
            else if (method != CopyMethod.Auto)
            {
                result.Method.ShouldBe(method);
            }

            File.Delete(target);
        }

        // What is shared counts as copied, in a tree too.
        string folder = Directory.CreateDirectory(Path.Combine(mount.Folder, "tree")).FullName;
        File.Move(source, Path.Combine(folder, "source"));
        CopyResult tree = await SluiceFile.CopyAsync(folder, Path.Combine(mount.Folder, "copy"), new CopyOptions { Recurse = true });
        tree.Bytes.ShouldBe(content.Length, $"{kind}");
    }
}
