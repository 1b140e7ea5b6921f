using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// What this kernel and this sandbox allow, found out by trying (never by comparing kernel versions, which backports and seccomp
/// filters belie).
/// </summary>
internal sealed unsafe class RingProbe
{
    private readonly bool[] _opcodes;

    private RingProbe(string? refusal, FeatureFlags features, bool[] opcodes, bool single, bool submitAll, bool coop)
    {
        Refusal = refusal;
        Features = features;
        _opcodes = opcodes;
        SupportsDeferTaskrun = single;
        SupportsSubmitAll = submitAll;
        SupportsCoopTaskrun = coop;
    }

    /// <summary>The process's probe, made at first use.</summary>
    public static RingProbe Current => Lazy.Value;

    private static readonly Lazy<RingProbe> Lazy = new(Run);

    /// <summary>Why rings cannot be used, in one line; null when they can.</summary>
    public string? Refusal { get; }

    public bool IsAvailable => Refusal is null;

    public FeatureFlags Features { get; }

    /// <summary>SINGLE_ISSUER together with DEFER_TASKRUN.</summary>
    public bool SupportsDeferTaskrun { get; }

    public bool SupportsSubmitAll { get; }

    public bool SupportsCoopTaskrun { get; }

    public bool Supports(Opcode opcode) => (int)opcode < _opcodes.Length && _opcodes[(int)opcode];

    /// <summary>Tries everything anew; <see cref="Current"/> keeps the first result.</summary>
    public static RingProbe Run()
    {
        if (!OperatingSystem.IsLinux())
        {
            return Refused("io_uring is a Linux interface");
        }

        using Ring? ring = Ring.TryCreate(4, 0, SetupFlags.None, out int errno);
        if (ring is null)
        {
            return Refused(Explain(-errno));
        }

        bool[] opcodes = ReadOpcodes(ring);
        ReadOnlySpan<Opcode> required = [Opcode.Read, Opcode.Write, Opcode.ReadV, Opcode.WriteV, Opcode.Fsync, Opcode.AsyncCancel];
        foreach (Opcode opcode in required)
        {
            if ((int)opcode >= opcodes.Length || !opcodes[(int)opcode])
            {
                return Refused($"io_uring lacks the operation {opcode} on this kernel");
            }
        }

        const FeatureFlags wanted = FeatureFlags.NoDrop | FeatureFlags.SubmitStable;
        if ((ring.Features & wanted) != wanted)
        {
            return Refused("io_uring of this kernel may drop completions (IORING_FEAT_NODROP or SUBMIT_STABLE is missing)");
        }

        return new RingProbe(
            null,
            ring.Features,
            opcodes,
            CanCreate(SetupFlags.SingleIssuer | SetupFlags.DeferTaskrun),
            CanCreate(SetupFlags.SubmitAll),
            CanCreate(SetupFlags.CoopTaskrun));
    }

    private static RingProbe Refused(string reason) => new(reason, FeatureFlags.None, [], false, false, false);

    private static bool CanCreate(SetupFlags flags)
    {
        using Ring? ring = Ring.TryCreate(4, 0, flags, out _);
        return ring is not null;
    }

    private static bool[] ReadOpcodes(Ring ring)
    {
        const int most = 256;
        byte* memory = stackalloc byte[sizeof(IoUringProbe) + most * sizeof(IoUringProbeOp)];
        new Span<byte>(memory, sizeof(IoUringProbe) + most * sizeof(IoUringProbeOp)).Clear();
        if (Syscalls.Register(ring.Descriptor, RegisterOp.Probe, memory, most) < 0)
        {
            return [];
        }

        IoUringProbe* probe = (IoUringProbe*)memory;
        IoUringProbeOp* ops = (IoUringProbeOp*)(memory + sizeof(IoUringProbe));
        bool[] result = new bool[probe->OpsLen];
        for (int i = 0; i < result.Length; i++)
        {
            result[i] = (ops[i].Flags & IoUringProbeOp.Supported) != 0;
        }

        return result;
    }

    /// <summary>io_uring_setup(2)'s errors in words a user can act on.</summary>
    internal static string Explain(int errno) => errno switch
    {
        Errno.EPERM => ReadDisabledSetting() switch
        {
            "1" => "io_uring is allowed for privileged users only (sysctl kernel.io_uring_disabled = 1)",
            "2" => "io_uring is switched off (sysctl kernel.io_uring_disabled = 2)",
            _ => "io_uring is refused by the sandbox (EPERM: a seccomp filter or a security module)",
        },
        Errno.EACCES => "io_uring is refused by the sandbox (EACCES: a seccomp filter or a security module)",
        Errno.ENOSYS => "io_uring is not in this kernel, or a seccomp filter hides it (ENOSYS)",
        Errno.ENOMEM => "io_uring may not lock enough memory (ENOMEM: raise RLIMIT_MEMLOCK)",
        Errno.EMFILE => "no descriptor is left for io_uring (EMFILE: raise RLIMIT_NOFILE)",
        Errno.EINVAL => "io_uring of this kernel is too old for the flags used (EINVAL)",
        _ => $"io_uring_setup failed with errno {errno}",
    };

    private static string? ReadDisabledSetting()
    {
        try
        {
            return File.ReadAllText("/proc/sys/kernel/io_uring_disabled").Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
