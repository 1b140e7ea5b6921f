using System.IO.Pipes;
using Sluice.Engines;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Tests.Engines;

public sealed class SlotTableTests : IDisposable
{
    private readonly TempFolder _temp = new();
    private readonly ManualEngine _engine = new();
    private readonly SluiceHandle _handle;

    public SlotTableTests() => _handle = SluiceHandle.Open(_temp.NewFile(10), new SluiceOptions { Engine = _engine });

    public void Dispose()
    {
        _handle.Dispose();
        _temp.Dispose();
    }

    [Fact]
    public async Task Each_use_of_a_slot_has_user_data_of_its_own()
    {
        SlotTable slots = new(1);
        Task<int> read = _handle.ReadAsync(new byte[1], 0).AsTask();
        IoOperation operation = _engine.Take();
        HashSet<ulong> seen = [0, RingEntries.WakeUpUserData];
        for (int i = 0; i < 5; i++)
        {
            ulong userData = slots.NextUserData();
            seen.Add(userData).ShouldBeTrue($"use {i}: {userData:x}");
            slots.Add(operation, userData);
            operation.RingUserData.ShouldBe(userData);
            slots.HasRoomFor(operation).ShouldBeFalse();
            slots.Empty(userData).ShouldBeSameAs(operation);
            operation.RingUserData.ShouldBe(0ul);
            slots.Free(userData);
        }

        operation.Complete(1);
        (await read).ShouldBe(1);
    }

    /// <summary>The kernel finds what it is to cancel by user data, however late the request comes.</summary>
    [SkippableFact]
    public unsafe void A_late_request_to_cancel_does_not_meet_the_slots_next_user()
    {
        using Ring? ring = OperatingSystem.IsLinux() ? Ring.TryCreate(4, 8, SetupFlags.SubmitAll, out _) : null;
        Skip.If(ring is null, "there is no ring");
        using AnonymousPipeServerStream pipe = new(PipeDirection.Out);
        SlotTable slots = new(1);
        _ = _handle.ReadAsync(new byte[1], 0).AsTask();
        IoOperation operation = _engine.Take();
        ulong earlier = slots.NextUserData();
        slots.Add(operation, earlier);
        slots.Empty(earlier);
        slots.Free(earlier);
        ulong later = slots.NextUserData();
        slots.Add(operation, later);
        Memory<byte> buffer = Bytes.Pinned(1);
        fixed (byte* p = buffer.Span)
        {
            Prep.Read(ring.TryTake(), (int)pipe.ClientSafePipeHandle.DangerousGetHandle(), p, 1, 0, RwFlags.None, later);
            ring.Submit().ShouldBe(1);
            ring.Cancel(earlier).ShouldBe(-Errno.ENOENT);
            pipe.Write([7]);
            ring.SubmitAndWait(1);
            Span<IoUringCqe> completions = stackalloc IoUringCqe[2];
            ring.Take(completions).ShouldBe(1);
            (completions[0].UserData, completions[0].Res).ShouldBe((later, 1));
        }

        buffer.Span[0].ShouldBe((byte)7);
        operation.Complete(1);
    }
}
