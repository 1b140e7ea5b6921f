using Shouldly;
using Sluice.Uring.Abi;
using Sluice.Uring.Tests.Support;
using Xunit;

namespace Sluice.Uring.Tests;

/// <summary>Flags of an entry: links, fixed files and forced workers.</summary>
public sealed unsafe class SqeFlagsTests : RingTest
{
    [SkippableFact]
    public void Linked_entries_run_one_after_the_other()
    {
        using TempFile file = new();
        using NativeBuffer written = new(4096, fill: 3);
        using NativeBuffer read = new(4096);
        using Ring ring = CreateRing();
        IoUringSqe* sqe = Take(ring);
        Prep.Write(sqe, file.Descriptor, written.Pointer, 4096, 0, RwFlags.None, 1);
        sqe->Flags |= SqeFlags.Link;
        sqe = Take(ring);
        Prep.Fsync(sqe, file.Descriptor, FsyncFlags.DataSync, 2);
        sqe->Flags |= SqeFlags.Link;
        Prep.Read(Take(ring), file.Descriptor, read.Pointer, 4096, 0, RwFlags.None, 3);

        List<IoUringCqe> cqes = Complete(ring, 3);

        cqes.ConvertAll(cqe => cqe.UserData).ShouldBe([1ul, 2ul, 3ul]);
        cqes.ConvertAll(cqe => cqe.Res).ShouldBe([4096, 0, 4096]);
        read.Span.SequenceEqual(written.Span).ShouldBeTrue();
    }

    [SkippableFact]
    public void Chain_that_breaks_cancels_the_rest_and_runs_none_of_it()
    {
        using TempFile file = new(10);
        using NativeBuffer buffer = new(4096, fill: 3);
        using Ring ring = CreateRing();
        IoUringSqe* sqe = Take(ring);
        Prep.Read(sqe, int.MaxValue, buffer.Pointer, 10, 0, RwFlags.None, 1);
        sqe->Flags |= SqeFlags.Link;
        sqe = Take(ring);
        Prep.Write(sqe, file.Descriptor, buffer.Pointer, 4096, 0, RwFlags.None, 2);
        sqe->Flags |= SqeFlags.Link;
        Prep.Write(Take(ring), file.Descriptor, buffer.Pointer, 4096, 4096, RwFlags.None, 3);
        Prep.Nop(Take(ring), 4);

        Dictionary<ulong, int> results = Complete(ring, 4).ToDictionary(cqe => cqe.UserData, cqe => cqe.Res);

        results[1].ShouldBe(-Errno.EBADF);
        results[2].ShouldBe(-Errno.ECANCELED);
        results[3].ShouldBe(-Errno.ECANCELED);
        results[4].ShouldBe(0);
        file.ReadAll().ShouldBe(file.Content);
    }

    [SkippableFact]
    public void Short_read_breaks_a_chain()
    {
        using TempFile file = new(10);
        using NativeBuffer buffer = new(100);
        using Ring ring = CreateRing();
        IoUringSqe* sqe = Take(ring);
        Prep.Read(sqe, file.Descriptor, buffer.Pointer, 100, 0, RwFlags.None, 1);
        sqe->Flags |= SqeFlags.Link;
        Prep.Nop(Take(ring), 2);

        Dictionary<ulong, int> results = Complete(ring, 2).ToDictionary(cqe => cqe.UserData, cqe => cqe.Res);

        results[1].ShouldBe(10);
        results[2].ShouldBe(-Errno.ECANCELED);
    }

    [SkippableFact]
    public void Hard_link_goes_on_after_a_failure()
    {
        using NativeBuffer buffer = new(100);
        using Ring ring = CreateRing();
        IoUringSqe* sqe = Take(ring);
        Prep.Read(sqe, int.MaxValue, buffer.Pointer, 100, 0, RwFlags.None, 1);
        sqe->Flags |= SqeFlags.HardLink;
        Prep.Nop(Take(ring), 2);

        Dictionary<ulong, int> results = Complete(ring, 2).ToDictionary(cqe => cqe.UserData, cqe => cqe.Res);

        results[1].ShouldBe(-Errno.EBADF);
        results[2].ShouldBe(0);
    }

    [SkippableFact]
    public void Malformed_entry_in_a_chain_cancels_what_stands_behind_it()
    {
        using TempFile file = new(10);
        using NativeBuffer buffer = new(100);
        using Ring ring = CreateRing();
        IoUringSqe* sqe = Take(ring);
        Prep.Nop(sqe, 1);
        sqe->Opcode = (Opcode)255;
        sqe->Flags |= SqeFlags.Link;
        Prep.Write(Take(ring), file.Descriptor, buffer.Pointer, 100, 0, RwFlags.None, 2);

        Dictionary<ulong, int> results = Complete(ring, 2).ToDictionary(cqe => cqe.UserData, cqe => cqe.Res);

        results[1].ShouldBe(-Errno.EINVAL);
        results[2].ShouldBe(-Errno.ECANCELED);
        file.ReadAll().ShouldBe(file.Content);
    }

    [SkippableFact]
    public void Async_flag_moves_the_transfer_to_a_worker_with_the_same_result()
    {
        using TempFile file = new(4096);
        using NativeBuffer buffer = new(4096);
        using Ring ring = CreateRing();
        ring.LimitWorkers(2, 2, out _, out _).ShouldBe(0);
        IoUringSqe* sqe = Take(ring);
        Prep.Read(sqe, file.Descriptor, buffer.Pointer, 4096, 0, RwFlags.None, 1);
        sqe->Flags |= SqeFlags.Async;

        CompleteOne(ring).ShouldBe(4096);
        buffer.Span.SequenceEqual(file.Content).ShouldBeTrue();
    }
}
