using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Diagnostics;

/// <summary>What the probe of io_uring found, in words, for who asks why rings are used or not.</summary>
/// <param name="Refusal">Why rings cannot be used, in one line; null when they can.</param>
/// <param name="MissingOperations">Operations that Sluice knows and the kernel does not; empty where rings are refused.</param>
/// <param name="MemlockLimitBytes">What rings may register as buffers together; <see cref="long.MaxValue"/>: no limit.</param>
/// <param name="RegisterErrno">0 when a buffer of <see cref="RegisteredBytes"/> could be registered; null when nothing was tried.</param>
internal sealed record RingDiagnosis(
    string? Refusal, IReadOnlyList<string> MissingOperations, bool HasDeferTaskrun, bool HasCoopTaskrun,
    long MemlockLimitBytes, int? RegisterErrno)
{
    public const int RegisteredBytes = 1 << 20;

    /// <summary>How often submissions looked whether their ring's lock was another thread's, since the process began.</summary>
    public static long SubmissionLooks => LockLooks.Count;

    /// <summary>How often it was.</summary>
    public static long SubmissionsMet => LockLooks.Taken;

    public static RingDiagnosis Run()
    {
        RingProbe probe = RingProbe.Current;
        string[] missing = probe.IsAvailable
            ? [.. Enum.GetValues<Opcode>().Where(o => !probe.Supports(o)).Select(o => o.ToString())]
            : [];
        return new RingDiagnosis(
            probe.Refusal, missing, probe.SupportsDeferTaskrun, probe.SupportsCoopTaskrun,
            OperatingSystem.IsLinux() ? RingProbe.MemlockLimitBytes : 0, probe.IsAvailable ? TryRegister() : null);
    }

    private static unsafe int? TryRegister()
    {
        using Ring? ring = Ring.TryCreate(4, 0, SetupFlags.SubmitAll, out int errno);
        if (ring is null)
        {
            return -errno;
        }

        void* memory = NativeMemory.AlignedAlloc(RegisteredBytes, 4096);
        try
        {
            // Its pages must be there: the kernel pins them.
            NativeMemory.Clear(memory, RegisteredBytes);
            Iovec segment = new() { Base = (byte*)memory, Len = RegisteredBytes };
            int result = ring.RegisterBuffers([segment]);
            if (result < 0)
            {
                return -result;
            }

            _ = ring.UnregisterBuffers();
            return 0;
        }
        finally
        {
            NativeMemory.AlignedFree(memory);
        }
    }
}
