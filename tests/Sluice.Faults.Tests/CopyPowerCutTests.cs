using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A power cut right after a copy or a replacement that was to be on the disk: content, name and mode are there.</summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class CopyPowerCutTests
{
    private const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead;

    private static readonly byte[] Old = Pattern.Bytes(6, 30_000);
    private static readonly byte[] New = Pattern.Bytes(7, 1_300_001);

    public static TheoryData<FileSystemKind, string, bool> Cases()
    {
        TheoryData<FileSystemKind, string, bool> cases = [];
        foreach (FileSystemKind kind in (FileSystemKind[])[FileSystemKind.Ext4, FileSystemKind.Xfs])
        {
            foreach (string way in (string[])["replace", "tree", "Buffered", "CopyFileRange", "Direct"])
            {
                cases.Add(kind, way, false);
                if (way != "tree")
                {
                    cases.Add(kind, way, true);
                }
            }
        }

        return cases;
    }

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task What_was_to_be_on_the_disk_is_there(FileSystemKind kind, string way, bool overwrites)
    {
        using Mount mount = Mount.OrSkip(kind);
        string tree = Directory.CreateDirectory(Path.Combine(mount.Folder, "tree", "below")).Parent!.FullName;
        string source = Path.Combine(tree, "below", "source");
        string target = Path.Combine(mount.Folder, "target");
        await File.WriteAllBytesAsync(source, New);
        File.SetUnixFileMode(source, Mode);
        if (overwrites)
        {
            await File.WriteAllBytesAsync(target, Old);
        }

        _ = Command.Run("sync", "--file-system", mount.Folder);
        switch (way)
        {
            case "replace":
                await SluiceFile.ReplaceAtomicallyAsync(target, New);
                break;
            case "tree":
                await SluiceFile.CopyAsync(tree, target, new CopyOptions { Recurse = true, FlushToDisk = true });
                target = Path.Combine(target, "below", "source");
                break;
            default:
                CopyOptions options = new() { Method = Enum.Parse<CopyMethod>(way), FlushToDisk = true, Overwrite = overwrites };
                await SluiceFile.CopyAsync(source, target, options);
                break;
        }

        UnixFileMode mode = File.GetUnixFileMode(target);
        PowerCut.Cut(mount, kind);
        mount.Remount().ShouldBeNull();
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(target), New, "after the power cut");
        File.GetUnixFileMode(target).ShouldBe(mode);
        PowerCut.ShouldHaveLost(mount);
    }

    /// <summary>A durable copy that finds its file unchanged does not rely on the copy that made it.</summary>
    [SkippableFact]
    public async Task A_file_that_is_skipped_is_on_the_disk()
    {
        using Mount mount = Mount.OrSkip(FileSystemKind.Ext4);
        (string source, string target) = (Path.Combine(mount.Folder, "source"), Path.Combine(mount.Folder, "target"));
        await File.WriteAllBytesAsync(source, New);
        _ = Command.Run("sync", "--file-system", mount.Folder);
        await SluiceFile.CopyAsync(source, target);
        CopyOptions options = new() { FlushToDisk = true, SkipUnchanged = true, Overwrite = true };
        (await SluiceFile.CopyAsync(source, target, options)).UnchangedFiles.ShouldBe(1);
        PowerCut.Cut(mount, FileSystemKind.Ext4);
        mount.Remount().ShouldBeNull();
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(target), New, "after the power cut");
    }

    /// <summary>
    /// The power goes before the copy flushes the file system at its end, and after the names of its files have come to the disk: whatever
    /// the next run takes for finished is whole.
    /// </summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_the_next_run_takes_for_finished_has_its_bytes(bool inShards)
    {
        const FileSystemKind kind = FileSystemKind.Ext4;
        using Mount mount = Mount.OrSkip(kind);
        string tree = Directory.CreateDirectory(Path.Combine(mount.Folder, "tree")).FullName;
        string target = Directory.CreateDirectory(Path.Combine(mount.Folder, "target")).FullName;
        await File.WriteAllBytesAsync(Path.Combine(tree, "large"), New);
        await File.WriteAllBytesAsync(Path.Combine(tree, "small"), Old[..100]);
        await File.WriteAllBytesAsync(Path.Combine(target, "small"), Old);
        _ = Command.Run("sync", "--file-system", mount.Folder);
        CopyOptions options = new()
        {
            Recurse = true,
            FlushToDisk = true,
            Method = CopyMethod.Buffered,
            Overwrite = true,
            SkipUnchanged = true,
            Shard = inShards ? default(Shard) : null,
        };
        int ends = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "syncfs")
            {
                ends++;
                using (FileStream other = new(Path.Combine(mount.Folder, "other"), FileMode.CreateNew))
                {
                    other.Flush(flushToDisk: true);
                }

                PowerCut.Cut(mount, kind);
            }

            return 0;
        });
        Exception? error;
        try
        {
            error = await Record.ExceptionAsync(() => SluiceFile.CopyAsync(tree, target, options));
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        ends.ShouldBe(1, error?.Message);
        mount.Remount().ShouldBeNull();
        PowerCut.ShouldHaveLost(mount);
        Directory.GetFiles(target).Length.ShouldBe(2, "the names were lost, so this test proves nothing");
        CopyResult next = await SluiceFile.CopyAsync(tree, target, options);
        next.UnchangedFiles.ShouldBe(2);
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(Path.Combine(target, "large")), New, "after the power cut");
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(Path.Combine(target, "small")), Old.AsSpan(0, 100), "after the power cut");
    }
}
