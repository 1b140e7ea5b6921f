using System.Runtime.InteropServices;
using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// Writes that fail once: so the kernel tells that earlier bytes could not be kept (by the server of NFS, by the device of O_SYNC), and the
/// next write is a success.
/// </summary>
[Trait("Tier", "slow")]
public sealed class WriteFaultTests(MountFixture fixture) : IClassFixture<MountFixture>, IDisposable
{
    public void Dispose() => SystemCallFaults.Use(null);

    [LinuxTheory]
    [InlineData("WriteAsync", "pwrite")]
    [InlineData("WriteAsync of an address", "pwrite")]
    [InlineData("WriteAsync of a list", "pwritev2")]
    [InlineData("Write of a list", "pwritev2")]
    public async Task An_error_that_is_told_once_is_the_callers(string way, string call)
    {
        string path = Path.Combine(fixture.Get(FileSystemKind.Ext4).Folder, "file");
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite);
        byte[] bytes = GC.AllocateArray<byte>(1000, pinned: true);
        bytes.AsSpan().Fill(7);
        Func<Task> write = way switch
        {
            "WriteAsync" => () => handle.WriteAsync(bytes, 0).AsTask(),
            "WriteAsync of an address" => () => handle.WriteAsync(
                Marshal.UnsafeAddrOfPinnedArrayElement(bytes, 0), (nuint)bytes.Length, 0).AsTask(),
            "WriteAsync of a list" => () => handle.WriteAsync(Halves(bytes), 0).AsTask(),
            _ => () => Task.Run(() => handle.Write(Halves(bytes), 0)),
        };
        int failed = 0;
        SystemCallFaults.Use((name, _, length) =>
            length == 0 || !name.StartsWith("pwrite", StringComparison.Ordinal) ? 0
            : name != call ? -CallFaults.EOPNOTSUPP
            : failed++ == 0 ? -CallFaults.ENOSPC : 0);
        (await Should.ThrowAsync<IOException>(write)).HResult.ShouldBe(CallFaults.ENOSPC);
        SystemCallFaults.Use(null);
        failed.ShouldBe(1);
        (await File.ReadAllBytesAsync(path)).ShouldBeEmpty();
        await write();
        (await File.ReadAllBytesAsync(path)).ShouldBe(bytes);
    }

    private static ReadOnlyMemory<byte>[] Halves(byte[] bytes) => [bytes.AsMemory(0, 500), bytes.AsMemory(500)];
}
