using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Copies on each file system: what method takes effect, and what a kill at a random moment leaves.</summary>
public sealed class CopyCrashTests
{
    private const int Length = 3_000_001;

    [SkippableTheory]
    [InlineData(FileSystemKind.Local)]
    [InlineData(FileSystemKind.Tmpfs)]
    [InlineData(FileSystemKind.Ext4)]
    [InlineData(FileSystemKind.Xfs)]
    [InlineData(FileSystemKind.Btrfs)]
    public async Task A_killed_copy_leaves_a_whole_file_and_can_be_made_again(FileSystemKind kind)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "SIGKILL is Unix's");
        using Mount mount = new(kind);
        Skip.If(mount.Refusal is not null, $"{kind}: {mount.Refusal}");
        string folder = Directory.CreateDirectory(Path.Combine(mount.Folder, "copies")).FullName;
        string target = Path.Combine(folder, "target");
        byte[][] contents = [Pattern.Bytes(1, Length), Pattern.Bytes(2, Length - 5000)];
        await File.WriteAllBytesAsync(Path.Combine(folder, "source-0"), contents[0]);
        await File.WriteAllBytesAsync(Path.Combine(folder, "source-1"), contents[1]);
        Random random = new(20_261_121 + (int)kind);
        CopyMethod[] methods = [CopyMethod.Buffered, CopyMethod.CopyFileRange, CopyMethod.Direct, CopyMethod.Auto];
        int leftovers = 0;
        for (int kill = 0; Kills.GoOn(kill, leftovers); kill++)
        {
            using (ChildProcess child = new(null, "copy", folder, $"{methods[kill % methods.Length]}"))
            {
                _ = (await child.Output.ReadLineAsync()).ShouldNotBeNull(child.ExitedWithErrors());
                await Task.Delay(random.Next(6));
                for (int spin = random.Next(20_000); spin > 0; spin--)
                {
                    Thread.SpinWait(1);
                }

                child.Kill();
                _ = await child.FinishAsync();
            }

            byte[] found = await File.ReadAllBytesAsync(target);
            FileModel.ShouldMatch(found, contents[found.Length == Length ? 0 : 1], $"{kind}, after kill {kill}");
            leftovers += File.Exists(Path.Combine(folder, ".target.sluice-tmp")) ? 1 : 0;
            FileModel.ShouldMatch(await File.ReadAllBytesAsync(Path.Combine(folder, "source-0")), contents[0], "the source");
        }

        // Else the kills all fell between two copies, and nothing was proved.
        leftovers.ShouldBeGreaterThan(0);
        CopyResult resumed = await SluiceFile.CopyAsync(
            Path.Combine(folder, "source-1"), target, new CopyOptions { Overwrites = true, Resumes = true, Verifies = true });
        resumed.Bytes.ShouldBe(contents[1].Length);
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(target), contents[1], "resumed");
    }

    [SkippableTheory]
    [InlineData(FileSystemKind.Local, false)]
    [InlineData(FileSystemKind.Tmpfs, false)]
    [InlineData(FileSystemKind.Ext4, false)]
    [InlineData(FileSystemKind.Xfs, true)]
    [InlineData(FileSystemKind.Btrfs, true)]
    public async Task Blocks_are_shared_where_the_file_system_can(FileSystemKind kind, bool isShared)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "FICLONE is Linux's");
        using Mount mount = new(kind);
        Skip.If(mount.Refusal is not null, $"{kind}: {mount.Refusal}");
        string source = Path.Combine(mount.Folder, "source");
        byte[] content = Pattern.Bytes(3, 20_000_123);
        await File.WriteAllBytesAsync(source, content);
        foreach (CopyMethod method in Enum.GetValues<CopyMethod>())
        {
            string target = Path.Combine(mount.Folder, $"{method}");
            CopyOptions options = new() { Method = method, FlushesToDisk = true };
            if (method == CopyMethod.Reflink && !isShared && kind != FileSystemKind.Local)
            {
                (await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, target, options))).Message.ShouldContain("Reflink");
                File.Exists(target).ShouldBeFalse();
                continue;
            }

            if (method == CopyMethod.Reflink && kind == FileSystemKind.Local)
            {
                continue;
            }

            CopyResult result = await SluiceFile.CopyAsync(source, target, options);
            FileModel.ShouldMatch(await File.ReadAllBytesAsync(target), content, $"{kind}, {method}");
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
    }

    [SkippableFact]
    public async Task A_read_only_file_system_and_a_full_one_say_so()
    {
        using Mount mount = new(FileSystemKind.Ext4, "24M");
        Skip.If(mount.Refusal is not null, $"{mount.Refusal}");
        string source = Path.Combine(mount.Folder, "source");
        byte[] content = Pattern.Bytes(4, 12_000_000);
        await File.WriteAllBytesAsync(source, content);
        foreach (CopyMethod method in (CopyMethod[])[CopyMethod.Buffered, CopyMethod.CopyFileRange, CopyMethod.Direct])
        {
            string target = Path.Combine(mount.Folder, "target");
            (await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, target, new CopyOptions { Method = method })))
                .Message.ShouldContain("full", Case.Sensitive, $"{method}");
            Directory.GetFiles(mount.Folder).ShouldBe([source]);
        }

        Command.TryRun("mount", "-o", "remount,ro", mount.Folder).ShouldBeNull();
        (await Should.ThrowAsync<IOException>(() => SluiceFile.CopyAsync(source, Path.Combine(mount.Folder, "b")))).Message.ShouldContain("read-only");
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(source), content, "the source");
    }
}
