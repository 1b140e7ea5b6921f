using Shouldly;
using Sluice.Uring.Abi;
using Sluice.Uring.Tests.Support;
using Xunit;

namespace Sluice.Uring.Tests;

/// <summary>Flags of an entry.</summary>
public sealed unsafe class SqeFlagsTests : RingTest
{
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
