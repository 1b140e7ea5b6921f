using Shouldly;
using Sluice.Faults.Child.Support;
using Sluice.Uring.Abi;
using Sluice.Uring.Tests.Support;
using Xunit;

namespace Sluice.Uring.Tests;

/// <summary>Entering the kernel: batches with a bad entry, signals, refusals that pass, threads, timeouts.</summary>
public sealed unsafe class RingTests : RingTest
{
    private const int ToSubmitArgument = 1;

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void Malformed_entry_in_a_batch_fails_alone(bool submitAll)
    {
        using Ring ring = CreateRing(flags: submitAll ? SetupFlags.SubmitAll : SetupFlags.None);
        for (ulong i = 0; i < 6; i++)
        {
            IoUringSqe* sqe = Take(ring);
            Prep.Nop(sqe, i);
            if (i is 2 or 4)
            {
                sqe->Opcode = (Opcode)255;
            }
        }

        ring.SubmitAndWait(6).ShouldBe(6);

        IoUringCqe[] cqes = new IoUringCqe[8];
        ring.Take(cqes).ShouldBe(6);
        int[] results = new int[6];
        foreach (IoUringCqe cqe in cqes.AsSpan(0, 6))
        {
            results[cqe.UserData] = cqe.Res;
        }

        results.ShouldBe([0, 0, -Errno.EINVAL, 0, -Errno.EINVAL, 0]);
    }

    [SkippableFact]
    public void Submit_with_nothing_queued_returns_zero()
    {
        using Ring ring = CreateRing();

        ring.Submit().ShouldBe(0);
        ring.SubmitAndWait(0).ShouldBe(0);
    }

    [SkippableFact]
    public void Wait_ends_with_etime_when_nothing_completes()
    {
        using Pipe pipe = new();
        using NativeBuffer buffer = new(16);
        using Ring ring = CreateRing();
        Prep.Read(Take(ring), pipe.ReadDescriptor, buffer.Pointer, 16, 0, RwFlags.None, 1);
        ring.Submit().ShouldBe(1);

        ring.Wait(1, timeoutMs: 20).ShouldBe(-Errno.ETIME);

        ring.InFlight.ShouldBe(1u);
        pipe.Write(1, 2, 3);
        ring.Wait(1, timeoutMs: 600_000).ShouldBeGreaterThanOrEqualTo(0);
        ring.CqReady.ShouldBe(1u);
    }

    [SkippableFact]
    public void Wait_reports_a_signal_with_eintr()
    {
        Native.InstallHarmlessHandler();
        using Pipe pipe = new();
        using NativeBuffer buffer = new(16);
        using Ring ring = CreateRing();
        Prep.Read(Take(ring), pipe.ReadDescriptor, buffer.Pointer, 16, 0, RwFlags.None, 1);
        ring.Submit().ShouldBe(1);
        int result = 0;
        TestThread waiter = TestThread.Start(() => result = ring.Wait(1));
        waiter.WaitUntilIn(Seccomp.IoUringEnter);

        Native.Interrupt(waiter.ThreadId);
        waiter.Join();

        result.ShouldBe(-Errno.EINTR);
        ring.InFlight.ShouldBe(1u);
    }

    [SkippableFact]
    public void SubmitAndWait_waits_on_after_signals()
    {
        Native.InstallHarmlessHandler();
        using Pipe pipe = new();
        using NativeBuffer buffer = new(16);
        using Ring ring = CreateRing();
        int submitted = 0;
        uint ready = 0;
        TestThread waiter = TestThread.Start(() =>
        {
            Prep.Read(Take(ring), pipe.ReadDescriptor, buffer.Pointer, 16, 0, RwFlags.None, 1);
            submitted = ring.SubmitAndWait(1);
            ready = ring.CqReady;
            ring.Drain();
        });
        string ringArgument = $"0x{ring.Descriptor:x}";
        waiter.WaitUntilIn(Seccomp.IoUringEnter, ringArgument, "0x1");

        // The first signal ends the call that submitted, each later one a call that only waits.
        for (int i = 0; i < 5; i++)
        {
            Native.Interrupt(waiter.ThreadId);
            waiter.WaitUntilIn(Seccomp.IoUringEnter, ringArgument, "0x0");
        }

        pipe.Write(1, 2, 3);
        waiter.Join();

        submitted.ShouldBe(1);
        ready.ShouldBe(1u);
        buffer.Span[..3].ToArray().ShouldBe([1, 2, 3]);
    }

    [SkippableTheory]
    [InlineData(Errno.EBUSY)]
    [InlineData(Errno.EAGAIN)]
    [InlineData(Errno.ENOMEM)]
    public void Refused_submission_keeps_the_entries_for_the_next_call(int errno)
    {
        using Ring ring = CreateRing();
        for (ulong i = 0; i < 4; i++)
        {
            Prep.Nop(Take(ring), i);
        }

        bool filtered = false;
        int submit = 0;
        int submitAndWait = 0;
        TestThread.Run(() =>
        {
            filtered = Seccomp.TryRefuseOnThisThread(Seccomp.IoUringEnter, errno, ToSubmitArgument);
            if (filtered)
            {
                submit = ring.Submit();
                submitAndWait = ring.SubmitAndWait(1);
            }
        });
        Skip.IfNot(filtered, "This sandbox does not allow seccomp filters.");

        submit.ShouldBe(-errno);
        Ring.IsPassing(submit).ShouldBeTrue();
        submitAndWait.ShouldBe(-errno);
        ring.Pending.ShouldBe(4u);
        ring.InFlight.ShouldBe(0u);
        Complete(ring, 4).ConvertAll(cqe => cqe.UserData).ShouldBe([0ul, 1ul, 2ul, 3ul]);
    }

    [SkippableFact]
    public void Submitting_and_reaping_threads_work_side_by_side()
    {
        const int total = 20_000;
        using Ring ring = CreateRing(entries: 8, cqEntries: 16);
        using SemaphoreSlim room = new((int)ring.CqEntries);
        int[] seen = new int[total];
        TestThread reaper = TestThread.Start(() =>
        {
            IoUringCqe[] cqes = new IoUringCqe[4];
            int count = 0;
            while (count < total)
            {
                int taken = ring.Take(cqes);
                foreach (IoUringCqe cqe in cqes.AsSpan(0, taken))
                {
                    seen[cqe.UserData]++;
                }

                count += taken;
                if (taken > 0)
                {
                    room.Release(taken);
                }
                else
                {
                    ring.Wait(1).ShouldBeGreaterThanOrEqualTo(0);
                }
            }
        });
        TestThread submitter = TestThread.Start(() =>
        {
            for (int i = 0; i < total; i++)
            {
                room.Wait();
                Prep.Nop(Take(ring), (ulong)i);
                ring.Submit().ShouldBe(1);
            }
        });
        submitter.Join();
        reaper.Join();

        seen.ShouldAllBe(times => times == 1);
        ring.InFlight.ShouldBe(0u);
    }

    [SkippableFact]
    public void Ring_of_a_single_issuer_completes_on_its_own_thread()
    {
        Skip.IfNot(RingProbe.Current.SupportsDeferTaskrun, "This kernel lacks IORING_SETUP_DEFER_TASKRUN.");
        using TempFile file = new(8192);
        using NativeBuffer buffer = new(8192);
        int result = 0;
        TestThread.Run(() =>
        {
            using Ring ring = CreateRing(flags: SetupFlags.SingleIssuer | SetupFlags.DeferTaskrun | SetupFlags.SubmitAll);
            Prep.Read(Take(ring), file.Descriptor, buffer.Pointer, 8192, 0, RwFlags.None, 1);
            result = CompleteOne(ring);
        });

        result.ShouldBe(8192);
        buffer.Span.SequenceEqual(file.Content).ShouldBeTrue();
    }

    [SkippableFact]
    public void Ring_that_cannot_be_mapped_leaves_no_descriptor_behind()
    {
        const int mapNumber = 9;
        Skip.If(
            System.Runtime.InteropServices.RuntimeInformation.ProcessArchitecture != System.Runtime.InteropServices.Architecture.X64,
            "The number of mmap is that of x64.");
        int before = OpenRings();
        bool filtered = false;
        bool created = false;
        int errno = 0;
        TestThread.Run(() =>
        {
            // Only the entries are mapped at an offset that is not 0: ordinary memory goes on being given.
            const int offsetArgument = 5;
            RunOnce();
            filtered = Seccomp.TryRefuseOnThisThread(mapNumber, Errno.ENOMEM, offsetArgument);
            if (filtered)
            {
                created = Ring.TryCreate(4, 0, SetupFlags.None, out errno) is not null;
            }
        });
        Skip.IfNot(filtered, "This sandbox does not allow seccomp filters.");

        created.ShouldBeFalse();
        errno.ShouldBe(-Errno.ENOMEM);
        OpenRings().ShouldBe(before);

        // What must be compiled is compiled before the filter is there.
        static void RunOnce()
        {
            using Ring ring = CreateRing();
        }
    }
}
