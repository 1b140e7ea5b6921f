using Microsoft.Win32.SafeHandles;
using Shouldly;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Kernel;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// A read of an empty non-blocking FIFO on a thread waits in poll(2) and does not repeat the read until there is data. In a ring, the kernel
/// waits.
/// </summary>
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class NonBlockingWaitTests : FaultTests
{
    /// <summary>pread(2), which a FIFO refuses; read(2) before the poll; and read(2) after it.</summary>
    private const int MaxReads = 3;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    [LinuxTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_wait_polls_and_does_not_read_again(bool isAsync)
    {
        string path = Path.Combine(Root, "fifo");
        Native.MakeFifo(path);
        using SafeFileHandle both = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        using SafeFileHandle end = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        int fd = (int)end.DangerousGetHandle();
        Libc.SetFlags(fd, Libc.GetFlags(fd) | PathCalls.NonBlocking).ShouldBe(0);
        using SluiceHandle handle =
            SluiceHandle.FromSafeFileHandle(end, null, FileAccess.Read, ownsHandle: false, SluiceEngines.Pool);
        int reads = 0;
        TaskCompletionSource polled = new(TaskCreationOptions.RunContinuationsAsynchronously);
        SystemCallFaults.Use((call, at, _) =>
        {
            if (at == fd && call == "poll")
            {
                polled.TrySetResult();
            }
            else if (at == fd && call.Contains("read", StringComparison.OrdinalIgnoreCase))
            {
                Interlocked.Increment(ref reads);
            }

            return 0;
        });
        byte[] buffer = new byte[1];
        Task<int> reading = isAsync ? handle.ReadAsync(buffer, 0).AsTask() : Task.Run(() => handle.Read(buffer, 0));
        await polled.Task.WaitAsync(Patience);
        using (FileStream writer = new(new SafeFileHandle(both.DangerousGetHandle(), ownsHandle: false), FileAccess.Write, 0))
        {
            writer.WriteByte(7);
        }

        (await reading.WaitAsync(Patience)).ShouldBe(1);
        SystemCallFaults.Use(null);
        buffer[0].ShouldBe((byte)7);
        reads.ShouldBeInRange(1, MaxReads);
    }
}
