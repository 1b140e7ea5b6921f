using System.IO.Pipes;
using Microsoft.Win32.SafeHandles;
using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Flushes to the disk that fail: what was written may be lost, or there is nothing to flush.</summary>
[Trait("Tier", "slow")]
public sealed class FlushFaultTests : FaultTests
{
    /// <summary>.NET passes over these three, of whatever file.</summary>
    [LinuxTheory]
    [InlineData(CallFaults.EROFS)]
    [InlineData(CallFaults.EINVAL)]
    [InlineData(CallFaults.EOPNOTSUPP)]
    public async Task Of_a_file_that_may_have_been_written_each_is_an_error(int errno)
    {
        using SluiceHandle handle = SluiceHandle.Open(Path.Combine(Root, "handle"), FileMode.Create, FileAccess.Write);
        using SluiceStream stream = new(Path.Combine(Root, "stream"), FileMode.Create, FileAccess.Write);
        using SluiceWriter writer = new(Path.Combine(Root, "writer"));
        string replaced = Path.Combine(Root, "replaced");
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

    [LinuxTheory]
    [InlineData(CallFaults.EROFS)]
    [InlineData(CallFaults.EINVAL)]
    [InlineData(CallFaults.EOPNOTSUPP)]
    public async Task Where_there_is_nothing_to_flush_it_is_none(int errno)
    {
        string path = Path.Combine(Root, "file");
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
    [LinuxFact]
    public void Of_a_directory_an_error_is_thrown_unless_its_file_system_flushes_none()
    {
        string file = Path.Combine(Root, "file");
        File.WriteAllText(file, "");
        SluiceFile.FlushDirectoryToDisk(Root);
        FailFlushes(CallFaults.EINVAL);
        SluiceFile.FlushDirectoryToDisk(Root);
        FailFlushes(CallFaults.EROFS);
        Should.Throw<IOException>(() => SluiceFile.FlushDirectoryToDisk(Root)).HResult.ShouldBe(CallFaults.EROFS);
        Should.Throw<DirectoryNotFoundException>(() => SluiceFile.FlushDirectoryToDisk(file));
        Should.Throw<DirectoryNotFoundException>(() => SluiceFile.FlushDirectoryToDisk(Path.Combine(Root, "missing")));
    }

    private static void FailFlushes(int errno) => SystemCallFaults.Use((call, _, _) => call is "fsync" or "ring Fsync" ? -errno : 0);
}
