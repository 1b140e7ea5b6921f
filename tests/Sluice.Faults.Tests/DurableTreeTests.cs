using Shouldly;
using Sluice.Faults.Child.Fuse;
using Sluice.Faults.Tests.Support;
using Sluice.Tests.Shared;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>What a copy of a tree tells the file system before it says that all is on the disk.</summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class DurableTreeTests : FaultTests
{
    private readonly Lock _lock = new();
    private readonly List<(string Name, string Target, bool IsFolder)> _calls = [];

    /// <summary>
    /// The kernel tells whoever flushes a file system of the writes that failed since he opened it; of one that failed before, only if
    /// nobody else was told. So no opening comes between the last write and the flush.
    /// </summary>
    [LinuxTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_system_is_flushed_by_way_of_what_was_opened_before_anything_was_written(bool isThere)
    {
        string source = MakeSource(Path.Combine(Root, "source"), [""]);
        string target = Path.Combine(Root, "target");
        if (isThere)
        {
            Directory.CreateDirectory(target);
        }

        await CopyAsync(source, target, new CopyOptions { Recurse = true, FlushToDisk = true });
        string[] calls = [.. _calls.Select(static c => c.Name)];
        int flush = Array.IndexOf(calls, "syncfs");
        int write = Array.FindLastIndex(calls, static c => c is "pwrite" or "pwritev2" or "copy_file_range" or "ioctl");
        flush.ShouldBeGreaterThan(write);
        write.ShouldBeGreaterThan(0);
        calls[write..flush].ShouldNotContain(static c => c.StartsWith("openat", StringComparison.Ordinal));
    }

    /// <summary>The kernel passes no syncfs on to a file system in another process: that one is told of each file and folder.</summary>
    [LinuxTheory]
    [InlineData(FileSystemKind.Bindfs, "new", false)]
    [InlineData(FileSystemKind.Bindfs, "new", true)]
    [InlineData(FileSystemKind.Bindfs, "there", false)]
    [InlineData(FileSystemKind.Bindfs, "there", true)]
    [InlineData(FileSystemKind.Local, "new", true)]
    [InlineData(FileSystemKind.Local, "there", false)]
    public async Task Each_file_and_folder_is_flushed_where_the_file_system_is_not_flushed_as_a_whole(
        FileSystemKind kind, string way, bool preserves)
    {
        using Mount mount = Mount.OrSkip(kind);
        string source = MakeSource(Path.Combine(Root, "source"), ["a", "b/c"]);
        string target = Path.Combine(mount.Folder, "target");
        CopyOptions options = new() { Recurse = true, FlushToDisk = true, PreserveMetadata = preserves };
        if (way == "there")
        {
            Directory.CreateDirectory(target);
        }

        await CopyAsync(source, target, options);
        (string Name, string Target, bool IsFolder)[] flushed = [.. _calls.Where(static c => c.Name == "fsync")];
        bool flushesEach = kind != FileSystemKind.Local;
        flushed.Count(static c => !c.IsFolder).ShouldBe(flushesEach ? 6 : 0);
        string[] copied = [target, Path.Combine(target, "a"), Path.Combine(target, "b"), Path.Combine(target, "b", "c")];
        flushed.Where(static c => c.IsFolder).Select(static c => c.Target).Distinct()
            .ShouldBe(flushesEach ? [mount.Folder, .. copied] : [mount.Folder], ignoreOrder: true);
        _calls.Select(static c => c.Name).ShouldContain("syncfs");
    }

    [SkippableFact]
    public async Task A_folder_that_the_file_system_does_not_flush_is_no_error()
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.FolderSync);
        string source = MakeSource(Path.Combine(Root, "source"), ["a", "b/c"]);
        CopyOptions options = new() { Recurse = true, FlushToDisk = true, PreserveMetadata = true };
        (await SluiceFile.CopyAsync(source, mount.PathOf("tree"), options)).Folders.ShouldBe(4);
        string file = Directory.GetFiles(source, "*", SearchOption.AllDirectories)[0];
        await SluiceFile.CopyAsync(file, mount.PathOf("file"), new CopyOptions { FlushToDisk = true });
        await SluiceFile.ReplaceAtomicallyAsync(mount.PathOf("file"), new byte[10]);
        mount.Content("file").ShouldBe(new byte[10]);
    }

    /// <summary>Runs a copy, and keeps its calls with what their descriptors lead to.</summary>
    private async Task CopyAsync(string source, string target, CopyOptions options)
    {
        SystemCallFaults.Use((call, fd, _) =>
        {
            string target = OpenFiles.NameOf(fd);
            lock (_lock)
            {
                _calls.Add((call, target, Directory.Exists(target)));
            }

            return 0;
        });
        _ = await SluiceFile.CopyAsync(source, target, options);
        SystemCallFaults.Use(null);
    }

    /// <summary>Three files in each of these folders.</summary>
    private static string MakeSource(string source, string[] folders)
    {
        foreach (string folder in folders)
        {
            string path = Directory.CreateDirectory(Path.Combine(source, folder)).FullName;
            for (int i = 0; i < 3; i++)
            {
                File.WriteAllText(Path.Combine(path, $"{i}"), "x");
            }
        }

        return source;
    }
}
