using Shouldly;
using Sluice.Uring.Abi;
using Sluice.Uring.Tests.Support;
using Xunit;

namespace Sluice.Uring.Tests;

/// <summary>Registered buffers and the limit on locked memory.</summary>
public sealed unsafe class RegisteredResourceTests : RingTest
{
    private const int MemoryBytes = 1 << 20;

    [SkippableFact]
    public void Buffers_beyond_the_memlock_limit_are_refused_with_enomem_and_the_ring_goes_on()
    {
        const ulong limitBytes = 256 << 10;
        using NativeBuffer buffer = new(MemoryBytes);
        using TempFile file = new(100);
        int refused = 0;
        int read = 0;
        long seen = 0;
        RunWithMemlockLimit(limitBytes, () =>
        {
            seen = RingProbe.MemlockLimitBytes;
            using Ring ring = CreateRing();
            refused = RegisterResult(ring, buffer);
            Prep.Read(Take(ring), file.Descriptor, buffer.Pointer, 100, 0, RwFlags.None, 1);
            read = CompleteOne(ring);
        });

        seen.ShouldBe((long)limitBytes);
        refused.ShouldBe(-Errno.ENOMEM);
        read.ShouldBe(100);
    }

    private static void RunWithMemlockLimit(ulong limitBytes, Action body)
    {
        (ulong soft, ulong hard) = Native.GetLimit(Native.MemlockResource);
        bool dropped = false;
        try
        {
            Native.SetLimit(Native.MemlockResource, limitBytes, hard);
            TestThread.Run(() =>
            {
                dropped = Native.TryDropCapabilities();
                if (dropped)
                {
                    body();
                }
            });
        }
        finally
        {
            Native.SetLimit(Native.MemlockResource, soft, hard);
        }

        Skip.IfNot(dropped, "This sandbox does not let a thread drop its capabilities.");
    }

    private static int RegisterResult(Ring ring, params NativeBuffer[] buffers)
    {
        Iovec* segments = stackalloc Iovec[buffers.Length];
        for (int i = 0; i < buffers.Length; i++)
        {
            segments[i] = new Iovec { Base = buffers[i].Pointer, Len = (nuint)buffers[i].Length };
        }

        return ring.RegisterBuffers(new ReadOnlySpan<Iovec>(segments, buffers.Length));
    }
}
