using Sluice.Tests.Shared;
using Sluice.Uring.Abi;
using Xunit;

namespace Sluice.Uring.Tests.Support;

/// <summary>Base of the tests that need a ring: where one is refused they are skipped, with the reason.</summary>
public abstract unsafe class RingTest
{
    protected RingTest() => Skip.IfNot(RingProbe.Current.IsAvailable, RingProbe.Current.Refusal ?? "");

    private protected static Ring CreateRing(uint entries = 8, uint cqEntries = 0, SetupFlags flags = SetupFlags.SubmitAll) =>
        Ring.TryCreate(entries, cqEntries, flags, out int errno)
        ?? throw new InvalidOperationException($"The ring was refused with errno {-errno}.");

    /// <summary>Submits everything queued and returns the completions, in the order of arrival.</summary>
    private protected static List<IoUringCqe> Complete(Ring ring, int count)
    {
        List<IoUringCqe> all = [];
        IoUringCqe[] chunk = new IoUringCqe[16];
        while (all.Count < count)
        {
            int result = ring.SubmitAndWait(1);
            if (result < 0)
            {
                throw new InvalidOperationException($"io_uring_enter failed with errno {-result}.");
            }

            int taken = ring.Take(chunk.AsSpan(0, Math.Min(chunk.Length, count - all.Count)));
            all.AddRange(chunk.AsSpan(0, taken));
        }

        return all;
    }

    /// <summary>Submits the one entry queued and returns its result.</summary>
    private protected static int CompleteOne(Ring ring) => Complete(ring, 1)[0].Res;

    private protected static void RequireOpcode(Opcode opcode) =>
        Skip.IfNot(RingProbe.Current.Supports(opcode), $"This kernel's io_uring lacks {opcode}.");

    /// <summary>The number of rings that this process has open.</summary>
    private protected static int OpenRings() => OpenFiles.All().Count(static file => file.Target == "anon_inode:[io_uring]");

    private protected static IoUringSqe* Take(Ring ring)
    {
        IoUringSqe* sqe = ring.TryTake();
        return sqe is null ? throw new InvalidOperationException("The submission queue is full.") : sqe;
    }

    /// <summary>Memory outside the garbage collector's heap: what the kernel does to it is seen as it is.</summary>
    private protected sealed class NativeBuffer : IDisposable
    {
        private byte* _pointer;

        public NativeBuffer(int length, byte fill = 0, int alignment = 4096)
        {
            Length = length;
            _pointer = (byte*)System.Runtime.InteropServices.NativeMemory.AlignedAlloc((nuint)length, (nuint)alignment);
            Span.Fill(fill);
        }

        public int Length { get; }

        public byte* Pointer => _pointer;

        public Span<byte> Span => new(_pointer, Length);

        public void Dispose()
        {
            System.Runtime.InteropServices.NativeMemory.AlignedFree(_pointer);
            _pointer = null;
        }
    }
}
