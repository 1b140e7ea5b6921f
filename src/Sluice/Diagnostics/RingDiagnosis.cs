using System.Runtime.InteropServices;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Diagnostics;

/// <summary>The results of the io_uring probe as text.</summary>
/// <param name="Refusal">A one-line explanation of why rings cannot be used, or null if they can.</param>
/// <param name="MissingOperations">The operations that Sluice uses and the kernel does not support. Empty if rings cannot be used.</param>
/// <param name="MemlockLimitBytes">
/// The limit of registered buffers in bytes (RLIMIT_MEMLOCK); <see cref="long.MaxValue"/> if there is none.
/// </param>
/// <param name="RegisterErrno">0 if a buffer of <see cref="RegisteredBytes"/> could be registered; null if this was not tried.</param>
internal sealed record RingDiagnosis(
    string? Refusal, IReadOnlyList<string> MissingOperations, bool HasDeferTaskrun, bool HasCoopTaskrun,
    long MemlockLimitBytes, int? RegisterErrno)
{
    public const int RegisteredBytes = 1 << 20;

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
            // The kernel pins the pages, so they must be present.
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
