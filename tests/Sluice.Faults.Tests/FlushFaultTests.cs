using System.IO.Pipes;
using Microsoft.Win32.SafeHandles;
using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Flushes to the disk that fail: what was written may be lost, or there is nothing to flush.</summary>
[Trait("Tier", "slow")]
public sealed class FlushFaultTests : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("sluice-flush-").FullName;

    public void Dispose()
    {
        SystemCallFaults.Use(null);
        Directory.Delete(_root, recursive: true);
    }

    /// <summary>.NET passes over these three, of whatever file.</summary>
    [SkippableTheory]
    [InlineData(CallFaults.EROFS)]
    [InlineData(CallFaults.EINVAL)]
    [InlineData(CallFaults.EOPNOTSUPP)]
    public async Task Of_a_file_that_may_have_been_written_each_is_an_error(int errno)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the calls are those of Linux");
        using SluiceHandle handle = SluiceHandle.Open(Path.Combine(_root, "handle"), FileMode.Create, FileAccess.Write);
        using SluiceStream stream = new(Path.Combine(_root, "stream"), FileMode.Create, FileAccess.Write);
        using SluiceWriter writer = new(Path.Combine(_root, "writer"));
        string replaced = Path.Combine(_root, "replaced");
        await File.WriteAllTextAsync(replaced, "old");
        handle.Write(new byte[1000], 0);
        stream.Write(new byte[1000]);
        writer.Write(new byte[1000]);
        FailFlushes(errno);
        Should.Throw<IOException>(handle.FlushToDisk).HResult.ShouldBe(errno);
        Should.Throw<IOException>(handle.FlushDataToDisk).HResult.ShouldBe(errno);
        (await Should.ThrowAsync<IOException>(async () => await handle.FlushToDiskAsync())).HResult.ShouldBe(errno);
        (await Should.ThrowAsync<IOException>(async () => await handle.FlushDataToDiskAsync())).HResult.ShouldBe(errno);
        Should.Throw<IOException>(() => stream.Flush(flushToDisk: true)).HResult.ShouldBe(errno);
        Should.Throw<IOException>(() => writer.Flush(flushToDisk: true)).HResult.ShouldBe(errno);
        Should.Throw<IOException>(() => SluiceFile.ReplaceAtomically(replaced, "new"u8)).HResult.ShouldBe(errno);
        SystemCallFaults.Use(null);
        (await File.ReadAllTextAsync(replaced)).ShouldBe("old");
        handle.FlushToDisk();
    }

    [SkippableTheory]
    [InlineData(CallFaults.EROFS)]
    [InlineData(CallFaults.EINVAL)]
    [InlineData(CallFaults.EOPNOTSUPP)]
    public async Task Where_there_is_nothing_to_flush_it_is_none(int errno)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the calls are those of Linux");
        string path = Path.Combine(_root, "file");
        await File.WriteAllBytesAsync(path, new byte[1000]);
        using SluiceHandle read = SluiceHandle.Open(path);
        using AnonymousPipeServerStream pipe = new(PipeDirection.Out);
        using SluiceHandle written = SluiceHandle.FromSafeFileHandle(
            new SafeFileHandle(pipe.SafePipeHandle.DangerousGetHandle(), ownsHandle: false), FileAccess.Write, ownsHandle: true);
        FailFlushes(errno);
        foreach (SluiceHandle handle in (SluiceHandle[])[read, written])
        {
            handle.FlushToDisk();
            handle.FlushDataToDisk();
            await handle.FlushToDiskAsync();
            await handle.FlushDataToDiskAsync();
        }
    }

    /// <summary>Some file systems flush files only.</summary>
    [SkippableFact]
    public void Of_a_directory_an_error_is_thrown_unless_its_file_system_flushes_none()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the calls are those of Linux");
        string file = Path.Combine(_root, "file");
        File.WriteAllText(file, "");
        SluiceFile.FlushDirectoryToDisk(_root);
        FailFlushes(CallFaults.EINVAL);
        SluiceFile.FlushDirectoryToDisk(_root);
        FailFlushes(CallFaults.EROFS);
        Should.Throw<IOException>(() => SluiceFile.FlushDirectoryToDisk(_root)).HResult.ShouldBe(CallFaults.EROFS);
        Should.Throw<DirectoryNotFoundException>(() => SluiceFile.FlushDirectoryToDisk(file));
        Should.Throw<DirectoryNotFoundException>(() => SluiceFile.FlushDirectoryToDisk(Path.Combine(_root, "missing")));
    }

    /// <summary>A regular file by its mode, of a file system that flushes nothing.</summary>
    [SkippableFact]
    public async Task Of_a_file_of_proc_there_is_nothing_to_flush()
    {
        const string name = "/proc/self/comm";
        Skip.IfNot(File.Exists(name), "there is no /proc");
        using SluiceHandle handle = SluiceHandle.Open(name, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        handle.FlushToDisk();
        await handle.FlushToDiskAsync();
    }

    [SkippableFact]
    public async Task Of_a_file_system_that_an_error_has_made_read_only_it_is_an_error()
    {
        using Mount mount = Mount.OrSkip(FileSystemKind.Ext4);
        using SluiceHandle handle = SluiceHandle.Open(Path.Combine(mount.Folder, "file"), FileMode.Create, FileAccess.ReadWrite);
        handle.Write(new byte[100_000], 0);
        mount.MakeReadOnlyOrSkip();
        Should.Throw<IOException>(handle.FlushToDisk).HResult.ShouldBe(CallFaults.EROFS);
        (await Should.ThrowAsync<IOException>(async () => await handle.FlushDataToDiskAsync())).HResult.ShouldBe(CallFaults.EROFS);
    }

    private static void FailFlushes(int errno) => SystemCallFaults.Use((call, _, _) => call is "fsync" or "ring Fsync" ? -errno : 0);
}
