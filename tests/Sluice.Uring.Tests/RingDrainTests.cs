using Shouldly;
using Sluice.Uring.Abi;
using Sluice.Uring.Tests.Support;
using Xunit;

namespace Sluice.Uring.Tests;

/// <summary>Closing with operations in flight: afterwards the kernel writes into nothing that was named in the ring.</summary>
public sealed unsafe class RingDrainTests : RingTest
{
    [SkippableTheory]
    [InlineData(SetupFlags.SubmitAll)]
    [InlineData(SetupFlags.SubmitAll | SetupFlags.SingleIssuer | SetupFlags.DeferTaskrun)]
    public void Dispose_ends_a_pipe_read_and_its_buffer_stays_untouched(object setup)
    {
        SetupFlags flags = (SetupFlags)setup;
        Skip.If(flags.HasFlag(SetupFlags.DeferTaskrun) && !RingProbe.Current.SupportsDeferTaskrun, "This kernel lacks DEFER_TASKRUN.");
        using Pipe pipe = new();
        using NativeBuffer buffer = new(64, fill: 0x5A);
        Ring ring = CreateRing(flags: flags);
        Prep.Read(Take(ring), pipe.ReadDescriptor, buffer.Pointer, 64, 0, RwFlags.None, 1);
        ring.Submit().ShouldBe(1);

        ring.Dispose();

        pipe.Write(1, 2, 3);
        pipe.ReadByte().ShouldBe(1);
        buffer.Span.IndexOfAnyExcept((byte)0x5A).ShouldBe(-1);
    }

    [SkippableFact]
    public void Drain_reports_each_operation_once_with_its_result()
    {
        using Pipe pipe = new();
        using TempFile file = new(100);
        using NativeBuffer buffer = new(300);
        using Ring ring = CreateRing();
        Prep.Read(Take(ring), pipe.ReadDescriptor, buffer.Pointer, 100, 0, RwFlags.None, 1);
        Prep.Read(Take(ring), file.Descriptor, buffer.Pointer + 100, 100, 0, RwFlags.None, 2);
        ring.Submit().ShouldBe(2);

        // The third was never submitted: it too has its completion.
        Prep.Read(Take(ring), pipe.ReadDescriptor, buffer.Pointer + 200, 100, 0, RwFlags.None, 3);
        List<(ulong UserData, int Result)> ended = [];

        ring.Drain(cqe => ended.Add((cqe.UserData, cqe.Res)));

        ended.ShouldBe([(1ul, -Errno.ECANCELED), (2ul, 100), (3ul, -Errno.ECANCELED)], ignoreOrder: true);
        ring.InFlight.ShouldBe(0u);
        ring.Pending.ShouldBe(0u);
    }

    [SkippableFact]
    public void Drain_ends_operations_that_workers_run()
    {
        using Pipe pipe = new();
        using NativeBuffer buffer = new(64, fill: 0x5A);
        using Ring ring = CreateRing();
        IoUringSqe* sqe = Take(ring);
        Prep.Read(sqe, pipe.ReadDescriptor, buffer.Pointer, 16, 0, RwFlags.None, 1);
        sqe->Flags |= SqeFlags.Async;
        ring.Submit().ShouldBe(1);
        List<int> ended = [];

        ring.Drain(cqe => ended.Add(cqe.Res));

        ended.Count.ShouldBe(1);
        ended[0].ShouldBeOneOf(-Errno.ECANCELED, -Errno.EINTR);
        pipe.Write(1);
        pipe.ReadByte().ShouldBe(1);
        buffer.Span.IndexOfAnyExcept((byte)0x5A).ShouldBe(-1);
    }

    [SkippableFact]
    public void Drain_ends_what_several_threads_have_submitted()
    {
        using Pipe pipe = new();
        using NativeBuffer buffer = new(64);
        using Ring ring = CreateRing();
        using ManualResetEventSlim drained = new();
        using SemaphoreSlim submitted = new(0);
        List<TestThread> threads = [];
        for (uint i = 0; i < 3; i++)
        {
            uint index = i;
            threads.Add(TestThread.Start(() =>
            {
                Prep.Read(Take(ring), pipe.ReadDescriptor, buffer.Pointer + index * 16, 16, 0, RwFlags.None, index);
                ring.Submit().ShouldBe(1);
                submitted.Release();
                drained.Wait();
            }));
            submitted.Wait();
        }

        List<int> ended = [];
        ring.Drain(cqe => ended.Add(cqe.Res));
        drained.Set();
        threads.ForEach(thread => thread.Join());

        ended.ShouldBe([-Errno.ECANCELED, -Errno.ECANCELED, -Errno.ECANCELED]);
    }

    [SkippableFact]
    public void Dispose_waits_for_writes_in_flight()
    {
        using TempFile file = new();
        using NativeBuffer buffer = new(1 << 20, fill: 6);
        using (Ring ring = CreateRing(entries: 32))
        {
            for (int i = 0; i < 32; i++)
            {
                IoUringSqe* sqe = Take(ring);
                Prep.Write(sqe, file.Descriptor, buffer.Pointer, 1 << 20, (long)i << 20, RwFlags.None, (ulong)i);

                // A worker runs each, so that most are still to be done when the ring is disposed.
                sqe->Flags |= SqeFlags.Async;
            }

            ring.Submit().ShouldBe(32);
            ring.InFlight.ShouldBeGreaterThan(0u);
        }

        byte[] atDispose = file.ReadAll();
        buffer.Span.Fill(9);
        byte[] later = file.ReadAll();

        later.SequenceEqual(atDispose).ShouldBeTrue();
        later.AsSpan().IndexOf((byte)9).ShouldBe(-1);
    }

    [SkippableFact]
    public void Dispose_of_an_issuers_ring_by_another_thread_is_refused_while_buffers_are_in_use()
    {
        Skip.IfNot(RingProbe.Current.SupportsDeferTaskrun, "This kernel lacks IORING_SETUP_DEFER_TASKRUN.");
        using Pipe pipe = new();
        using NativeBuffer buffer = new(16, fill: 0x5A);
        Exception? elsewhere = null;
        int completed = 0;
        TestThread.Run(() =>
        {
            Ring ring = CreateRing(flags: SetupFlags.SingleIssuer | SetupFlags.DeferTaskrun | SetupFlags.SubmitAll);
            Prep.Read(Take(ring), pipe.ReadDescriptor, buffer.Pointer, 16, 0, RwFlags.None, 1);
            ring.Submit().ShouldBe(1);
            TestThread.Run(() => elsewhere = Record.Exception(ring.Dispose));
            ring.Drain(_ => completed++);
            ring.Dispose();
        });

        elsewhere.ShouldBeOfType<InvalidOperationException>().Message.ShouldContain("buffers are still in use");
        completed.ShouldBe(1);
        buffer.Span.IndexOfAnyExcept((byte)0x5A).ShouldBe(-1);
    }

    [SkippableFact]
    public void Dispose_twice_is_one_dispose()
    {
        Ring ring = CreateRing();
        ring.Dispose();

        ring.Dispose();
        ring.Descriptor.ShouldBe(-1);
    }

    [SkippableFact]
    public void Thousand_rings_leave_no_descriptor_and_no_mapping()
    {
        using Ring open = CreateRing();
        int descriptors = OpenRings();
        descriptors.ShouldBe(1);
        for (int i = 0; i < 1000; i++)
        {
            OpenAndClose();
        }

        OpenRings().ShouldBe(descriptors);
        File.ReadLines("/proc/self/maps").Count(line => line.EndsWith("[io_uring]", StringComparison.Ordinal)).ShouldBeInRange(1, 3);

        static void OpenAndClose()
        {
            using Ring ring = CreateRing();
            Prep.Nop(Take(ring), 1);
            ring.Submit();
        }
    }
}
