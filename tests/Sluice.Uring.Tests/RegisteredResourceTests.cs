using Shouldly;
using Sluice.Uring.Abi;
using Sluice.Uring.Tests.Support;
using Xunit;

namespace Sluice.Uring.Tests;

/// <summary>Registered files and buffers, and the limit on locked memory.</summary>
public sealed unsafe class RegisteredResourceTests : RingTest
{
    private const int MemoryBytes = 1 << 20;

    [SkippableFact]
    public void Write_fixed_and_read_fixed_go_through_registered_buffers()
    {
        using TempFile file = new();
        using NativeBuffer first = new(8192, fill: 4);
        using NativeBuffer second = new(8192);
        using Ring ring = CreateRing();
        Register(ring, first, second);
        Prep.WriteFixed(Take(ring), file.Descriptor, first.Pointer + 100, 5000, 0, 0, 1);
        CompleteOne(ring).ShouldBe(5000);
        Prep.ReadFixed(Take(ring), file.Descriptor, second.Pointer + 8, 5000, 0, 1, 2);

        CompleteOne(ring).ShouldBe(5000);

        file.ReadAll().ShouldBe(first.Span.Slice(100, 5000).ToArray());
        second.Span.Slice(8, 5000).SequenceEqual(first.Span.Slice(100, 5000)).ShouldBeTrue();
        second.Span[..8].IndexOfAnyExcept((byte)0).ShouldBe(-1);
    }

    [SkippableFact]
    public void Fixed_transfer_outside_its_buffer_fails_with_efault()
    {
        using TempFile file = new(10000);
        using NativeBuffer buffer = new(8192);
        using Ring ring = CreateRing();
        Register(ring, buffer);
        Prep.ReadFixed(Take(ring), file.Descriptor, buffer.Pointer + 4096, 8192, 0, 0, 1);

        CompleteOne(ring).ShouldBe(-Errno.EFAULT);
    }

    [SkippableFact]
    public void Fixed_transfer_without_registration_fails()
    {
        using TempFile file = new(10000);
        using NativeBuffer buffer = new(8192);
        using Ring ring = CreateRing();
        Register(ring, buffer);
        ring.UnregisterBuffers().ShouldBe(0);
        Prep.ReadFixed(Take(ring), file.Descriptor, buffer.Pointer, 8192, 0, 0, 1);

        CompleteOne(ring).ShouldBeOneOf(-Errno.EFAULT, -Errno.EINVAL);
        ring.UnregisterBuffers().ShouldBe(-Errno.ENXIO);
    }

    [SkippableFact]
    public void Fixed_file_is_named_by_its_index_and_outlives_its_descriptor()
    {
        TempFile file = new(4096);
        using NativeBuffer buffer = new(4096);
        using Ring ring = CreateRing();
        ring.RegisterFiles([-1, file.Descriptor]).ShouldBe(0);
        file.Dispose();
        IoUringSqe* sqe = Take(ring);
        Prep.Read(sqe, 1, buffer.Pointer, 4096, 0, RwFlags.None, 1);
        sqe->Flags |= SqeFlags.FixedFile;

        CompleteOne(ring).ShouldBe(4096);

        buffer.Span.SequenceEqual(file.Content).ShouldBeTrue();
    }

    [SkippableFact]
    public void Fixed_file_that_is_not_registered_fails_with_ebadf()
    {
        using TempFile file = new(4096);
        using NativeBuffer buffer = new(4096);
        using Ring ring = CreateRing();
        ring.RegisterFiles([-1, file.Descriptor]).ShouldBe(0);
        int[] results = new int[3];
        for (int index = 0; index < 3; index++)
        {
            if (index == 2)
            {
                ring.UnregisterFiles().ShouldBe(0);
            }

            IoUringSqe* sqe = Take(ring);
            Prep.Read(sqe, index == 0 ? 0 : 1, buffer.Pointer, 4096, 0, RwFlags.None, 1);
            sqe->Flags |= SqeFlags.FixedFile;
            results[index] = CompleteOne(ring);
        }

        results.ShouldBe([-Errno.EBADF, 4096, -Errno.EBADF]);
        ring.UnregisterFiles().ShouldBe(-Errno.ENXIO);
    }

    [SkippableFact]
    public void Registering_a_descriptor_that_is_not_open_fails_with_ebadf()
    {
        using Ring ring = CreateRing();

        ring.RegisterFiles([int.MaxValue]).ShouldBe(-Errno.EBADF);
    }

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

    [SkippableFact]
    public void Without_lockable_memory_the_probe_names_the_limit_or_rings_work_without_it()
    {
        string? refusal = null;
        int result = -1;
        RunWithMemlockLimit(0, () =>
        {
            refusal = RingProbe.Run().Refusal;
            if (refusal is null)
            {
                using Ring ring = CreateRing();
                Prep.Nop(Take(ring), 1);
                result = CompleteOne(ring);
            }
        });

        // Some kernels charge a ring to the memory cgroup, others to the limit.
        if (refusal is null)
        {
            result.ShouldBe(0);
        }
        else
        {
            refusal.ShouldContain("RLIMIT_MEMLOCK");
        }
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

    private static void Register(Ring ring, params NativeBuffer[] buffers)
    {
        int result = RegisterResult(ring, buffers);
        Skip.If(result == -Errno.ENOMEM, $"RLIMIT_MEMLOCK ({RingProbe.MemlockLimitBytes} bytes) is too low to register buffers.");
        result.ShouldBe(0);
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
