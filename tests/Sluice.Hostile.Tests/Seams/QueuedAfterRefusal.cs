using Sluice.Engines;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Entries that are queued in a borrowed ring before and after it is refused, each with the result of its completion.</summary>
internal static class QueuedAfterRefusal
{
    public static int Run()
    {
        NopRing? ring = NopRing.TryCreate();
        ring.ShouldNotBeNull();
        ring.Complete(2).ShouldBe([0, 0]);
        SystemCallFaults.Use(static (call, _, _) => call == "io_uring_enter" ? -Errno.EPERM : 0);
        for (int round = 0; round < 3; round++)
        {
            ring.Complete(2).ShouldBe([-Errno.ECANCELED, -Errno.ECANCELED]);
            ring.Refusal.ShouldBe(-Errno.EPERM);
        }

        ring.Dispose();
        return 0;
    }

    private sealed unsafe class NopRing(Ring ring) : BorrowedRing(ring)
    {
        private readonly List<int> _results = [];

        public static NopRing? TryCreate() => TryCreate(4, staysOnThread: true, static ring => new NopRing(ring), out _);

        public List<int> Complete(int count)
        {
            _results.Clear();
            for (int i = 0; i < count; i++)
            {
                Queue()->Opcode = Opcode.Nop;
            }

            Wait(count);
            return _results;
        }

        protected override void OnCompleted(ulong userData, int result) => _results.Add(result);
    }
}
