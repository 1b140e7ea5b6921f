using System.Collections.Concurrent;
using Microsoft.Win32.SafeHandles;
using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Kernel;
using Sluice.Tests.Shared;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Copies between file systems, and where one is mounted in the source or in the target.</summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class CopyMountTests : FaultTests
{
    private const int Block = 1 << 20;

    private static readonly byte[] Large = [.. "user.large\0"u8];
    private static readonly byte[] Small = [.. "user.small\0"u8];

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_part_of_the_source_that_is_mounted_where_the_copy_is_made_is_not_copied_into_itself(bool isThere)
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "mounting needs root on Linux");
        string source = Path.Combine(Root, "source");
        string below = Directory.CreateDirectory(Path.Combine(source, "below")).FullName;
        await File.WriteAllTextAsync(Path.Combine(below, "file"), "x");
        string point = Directory.CreateDirectory(Path.Combine(Root, "point")).FullName;
        string? refusal = Command.TryRun("mount", "--bind", below, point);
        Skip.If(refusal is not null, refusal);
        try
        {
            string target = Path.Combine(point, "copy");
            if (isThere)
            {
                Directory.CreateDirectory(target);
            }

            // An end for what has none.
            using CancellationTokenSource stop = new();
            CopyOptions options = new()
            {
                Recurse = true,
                ContinueOnError = true,
                Progress = new Telling(report => (report.Files > 50 ? stop : null)?.Cancel()),
            };
            FileBatchException error =
                await Should.ThrowAsync<FileBatchException>(() => SluiceFile.CopyAsync(source, target, options, stop.Token));
            FileFailure failure = error.Failures.ShouldHaveSingleItem();
            failure.Error.ShouldBeOfType<IOException>().Message.ShouldContain("inside");
            Directory.GetFiles(target, "*", SearchOption.AllDirectories).ShouldBe([Path.Combine(target, "below", "file")]);
            Directory.GetFileSystemEntries(point).Order().ShouldBe([target, Path.Combine(point, "file")]);
        }
        finally
        {
            Command.Run("umount", point);
        }
    }

    [SkippableFact]
    public async Task What_is_mounted_in_the_target_is_written_to_the_disk_too()
    {
        using Mount mount = Mount.OrSkip(FileSystemKind.Ext4);
        string source = Path.Combine(Root, "source");
        string name = Path.GetFileName(mount.Folder);
        await File.WriteAllTextAsync(Path.Combine(Directory.CreateDirectory(Path.Combine(source, name)).FullName, "file"), "x");
        ConcurrentBag<string> flushed = [];
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call == "syncfs")
            {
                flushed.Add(OpenFiles.NameOf(fd));
            }

            return 0;
        });
        string target = Path.GetDirectoryName(mount.Folder)!;
        _ = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, FlushToDisk = true });
        SystemCallFaults.Use(null);
        flushed.Order().ShouldBe([target, mount.Folder]);
    }

    [SkippableTheory]
    [InlineData(FileSystemKind.Btrfs, 100_000)]
    [InlineData(FileSystemKind.Btrfs, 0)]
    [InlineData(FileSystemKind.Xfs, 100_000)]
    public async Task A_source_that_is_cut_before_its_blocks_are_shared_gets_no_zeros(FileSystemKind kind, int left)
    {
        using Mount mount = Mount.OrSkip(kind);
        byte[] content = Pattern.Bytes(1, 3 * Block);
        string source = Path.Combine(mount.Folder, "source");
        string target = Path.Combine(mount.Folder, "target");
        await File.WriteAllBytesAsync(source, content);
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "ioctl")
            {
                using FileStream file = new(source, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
                file.SetLength(left);
            }

            return 0;
        });
        List<CopyProgress> reports = [];
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Progress = new Telling(reports.Add) });
        SystemCallFaults.Use(null);
        Skip.If(result.Method != CopyMethod.Reflink, $"no blocks were shared: {result.MethodReason}");
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(target), content.AsSpan(0, (int)left), kind.ToString());
        (result.Bytes, result.ChangedFiles).ShouldBe((left, 1));
        reports[^1].ShouldBe(new CopyProgress(left, left, 1, 1));
    }

    /// <summary>What was taken for a length of 0 cut the whole copy away, and that was no failure.</summary>
    [SkippableTheory]
    [InlineData(FileSystemKind.Btrfs)]
    [InlineData(FileSystemKind.Xfs)]
    public async Task A_copy_whose_length_is_not_told_after_its_blocks_were_shared_fails(FileSystemKind kind)
    {
        using Mount mount = Mount.OrSkip(kind);
        byte[] content = Pattern.Bytes(5, 3 * Block);
        string source = Path.Combine(mount.Folder, "source");
        string target = Path.Combine(mount.Folder, "target");
        await File.WriteAllBytesAsync(source, content);
        bool isShared = false;
        int asked = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            isShared |= call == "ioctl";
            return isShared && call == "fstat" && asked++ == 0 ? -CallFaults.EIO : 0;
        });
        IOException? error = null;
        try
        {
            _ = await SluiceFile.CopyAsync(source, target);
        }
        catch (IOException e)
        {
            error = e;
        }

        SystemCallFaults.Use(null);
        Skip.If(asked == 0, "no blocks were shared");
        error.ShouldNotBeNull().Message.ShouldContain(target);
        File.Exists(target).ShouldBeFalse();
    }

    [SkippableFact]
    public async Task An_attribute_that_is_too_large_for_the_target_is_left_out_and_fills_no_disk()
    {
        using Mount from = Mount.OrSkip(FileSystemKind.Xfs);
        using Mount to = Mount.OrSkip(FileSystemKind.Ext4);
        string source = Directory.CreateDirectory(Path.Combine(from.Folder, "source")).FullName;
        for (int i = 0; i < 5; i++)
        {
            await File.WriteAllTextAsync(Path.Combine(source, $"{i}"), "x");
        }

        using (SafeFileHandle file = File.OpenHandle(Path.Combine(source, "2")))
        {
            int errno = -AttributeCalls.Set((int)file.DangerousGetHandle(), Large, new byte[20_000]);
            Skip.If(errno != 0, $"this file system has no such attributes (errno {errno})");
            AttributeCalls.Set((int)file.DangerousGetHandle(), Small, [1]).ShouldBe(0);
        }

        string target = Path.Combine(to.Folder, "target");
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true, PreserveMetadata = true });
        result.Files.ShouldBe(5);
        using SafeFileHandle copied = File.OpenHandle(Path.Combine(target, "2"));
        AttributeCalls.Get((int)copied.DangerousGetHandle(), Large, out _).ShouldBeNull();
        AttributeCalls.Get((int)copied.DangerousGetHandle(), Small, out _).ShouldBe([1]);
    }

    [SkippableFact]
    public async Task A_copy_whose_mode_keeps_its_owner_out_is_verified()
    {
        string[] nobody = OtherUser.OrSkip();
        Command.Run("chmod", "777", Root);
        string source = Path.Combine(Root, "source");
        await File.WriteAllBytesAsync(source, Pattern.Bytes(4, 100_000));
        Command.Run("chmod", "644", source);
        (await ChildProcess.OnceAsync(nobody, "verify", source, Path.Combine(Root, "target"))).ShouldBe("done");
        (await File.ReadAllBytesAsync(Path.Combine(Root, "target"))).Length.ShouldBe(100_000);
    }

    private sealed class Telling(Action<CopyProgress> action) : IProgress<CopyProgress>
    {
        public void Report(CopyProgress value) => action(value);
    }
}
