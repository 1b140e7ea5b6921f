using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// The io_uring features of this kernel and this sandbox. They are tested, because kernel versions say nothing about backports and seccomp
/// filters.
/// </summary>
internal sealed unsafe class RingProbe
{
    private readonly bool[] _opcodes;

    private RingProbe(string? refusal, FeatureFlags features, bool[] opcodes, bool deferTaskrun, bool coop)
    {
        Refusal = refusal;
        Features = features;
        _opcodes = opcodes;
        SupportsDeferTaskrun = deferTaskrun;
        SupportsCoopTaskrun = coop;
    }

    /// <summary>Gets the probe of the process. The first use creates it.</summary>
    public static RingProbe Current => Lazy.Value;

    // Concurrent first uses each create a probe, of which one is kept. An exception, for lack of memory, is not kept.
    private static readonly Lazy<RingProbe> Lazy = new(Run, LazyThreadSafetyMode.PublicationOnly);

    /// <summary>Gets a one-line explanation of why rings cannot be used; null if they can be used.</summary>
    public string? Refusal { get; }

    public bool IsAvailable => Refusal is null;

    public FeatureFlags Features { get; }

    /// <summary>Gets a value that indicates whether SINGLE_ISSUER and DEFER_TASKRUN are supported together.</summary>
    public bool SupportsDeferTaskrun { get; }

    public bool SupportsCoopTaskrun { get; }

    public bool Supports(Opcode opcode) => (int)opcode < _opcodes.Length && _opcodes[(int)opcode];

    /// <summary>
    /// Gets the maximum number of bytes that all rings of this user may register as buffers (RLIMIT_MEMLOCK); <see cref="long.MaxValue"/>
    /// if there is no limit (CAP_IPC_LOCK).
    /// </summary>
    public static long MemlockLimitBytes => Syscalls.HasIpcLock() ? long.MaxValue : Syscalls.GetMemlockLimitBytes();

    /// <summary>Tests all features again; <see cref="Current"/> keeps the first result.</summary>
    public static RingProbe Run()
    {
        if (!OperatingSystem.IsLinux())
        {
            return Refused("io_uring is a Linux interface");
        }

        if (!Environment.Is64BitProcess)
        {
            return Refused("io_uring is used by 64-bit processes only");
        }

        using Ring? ring = Ring.TryCreate(4, 0, SetupFlags.SubmitAll, out int errno);
        if (ring is null)
        {
            return Refused(Explain(-errno));
        }

        bool[] opcodes = ReadOpcodes(ring, out errno);
        if (errno < 0)
        {
            return Refused($"io_uring_register is refused by the sandbox (errno {-errno})");
        }

        ReadOnlySpan<Opcode> required = [Opcode.Read, Opcode.Write, Opcode.ReadV, Opcode.WriteV, Opcode.Fsync];
        foreach (Opcode opcode in required)
        {
            if ((int)opcode >= opcodes.Length || !opcodes[(int)opcode])
            {
                return Refused($"io_uring lacks the operation {opcode} on this kernel");
            }
        }

        const FeatureFlags wanted = FeatureFlags.NoDrop | FeatureFlags.SubmitStable | FeatureFlags.ExtArg;
        if ((ring.Features & wanted) != wanted)
        {
            return Refused($"io_uring of this kernel is too old (it lacks {wanted & ~ring.Features})");
        }

        string? enterRefusal = TryEnterAndCancel(ring);
        return enterRefusal is not null
            ? Refused(enterRefusal)
            : new RingProbe(
                null,
                ring.Features,
                opcodes,
                CanCreate(SetupFlags.SingleIssuer | SetupFlags.DeferTaskrun),
                CanCreate(SetupFlags.CoopTaskrun));
    }

    private static RingProbe Refused(string reason) => new(reason, FeatureFlags.None, [], false, false);

    private static bool CanCreate(SetupFlags flags)
    {
        using Ring? ring = Ring.TryCreate(4, 0, flags, out _);
        return ring is not null;
    }

    /// <summary>
    /// Enters the ring once and tests cancellation: a ring that cannot cancel could wait forever for a read of a pipe when it is closed.
    /// Returns the reason if one of them is not possible, or null.
    /// </summary>
    private static string? TryEnterAndCancel(Ring ring)
    {
        Prep.Nop(ring.TryTake(), 0);
        int entered = ring.SubmitAndWait(1);
        if (entered < 0)
        {
            // The entry is taken back, because closing would submit it again and again.
            _ = ring.TryTakeBackUnused(out _);
            return $"io_uring_enter is refused by the sandbox (errno {-entered})";
        }

        int cancelled = ring.CancelAll();
        return cancelled is >= 0 or -Errno.ENOENT
            ? null
            : $"io_uring of this kernel cannot cancel all operations of a ring (IORING_REGISTER_SYNC_CANCEL: errno {-cancelled})";
    }

    private static bool[] ReadOpcodes(Ring ring, out int errno)
    {
        const int most = 256;
        byte* memory = stackalloc byte[sizeof(IoUringProbe) + most * sizeof(IoUringProbeOp)];
        new Span<byte>(memory, sizeof(IoUringProbe) + most * sizeof(IoUringProbeOp)).Clear();
        errno = Syscalls.Register(ring.Descriptor, RegisterOp.Probe, memory, most);
        if (errno < 0)
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

    /// <summary>Returns a description of an error of io_uring_setup(2).</summary>
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
        Errno.EINVAL => "io_uring of this kernel is too old (EINVAL: it lacks IORING_SETUP_SUBMIT_ALL)",
        _ => $"io_uring_setup failed with errno {errno}",
    };

    private static string? ReadDisabledSetting()
    {
        // The file does not exist before Linux 6.6.
        const string path = "/proc/sys/kernel/io_uring_disabled";
        try
        {
            return File.Exists(path) ? File.ReadAllText(path).Trim() : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
