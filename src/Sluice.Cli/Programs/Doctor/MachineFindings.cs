using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Programs.Doctor;

/// <summary>Tests the features of the kernel, the sandbox and the limits of the process, without a file.</summary>
internal static class MachineFindings
{
    public static FindingGroup Collect()
    {
        var findings = new List<Finding> { Engine() };
        if (OperatingSystem.IsLinux())
        {
            RingDiagnosis rings = RingDiagnosis.Run();
            findings.Add(Setup(rings));
            findings.Add(Sysctl());
            findings.Add(Seccomp());
            if (rings.Refusal is null)
            {
                findings.Add(Operations(rings));
                findings.Add(Modes(rings));
            }
            findings.Add(Registered(rings));
            findings.Add(Descriptors());
        }
        findings.Add(Pool());
        return new FindingGroup("kernel and process", findings);
    }

    private static Finding Engine()
    {
        string name = SluiceEngines.Default.Name;
        string note = SluiceEngines.SettingsNote is { } wrong ? $"; {wrong}" : "";
        return SluiceEngines.UringReason is { } reason
            ? Finding.Fact("engine", $"{name}: {reason}{note}",
                "asynchronous transfers block threads of the pool, as .NET's do")
            : Finding.Fact("engine",
                $"{name}: kernel and sandbox allow io_uring; rings: {SluiceEngines.RingsDescription}{note}",
                "what is not in the page cache goes through a ring; SLUICE_ENGINE=pool turns that off");
    }

    private static Finding Setup(RingDiagnosis rings)
    {
        if (rings.Refusal is { } refusal)
            return Finding.No("io_uring", refusal, "batches, readers and writers make plain system calls");
        return Finding.Yes("io_uring", "setup, register, enter and cancelling were tried",
            SluiceEngines.UringReason is { } reason ? $"not used: {reason}" : "batches, readers and writers use rings");
    }

    private static Finding Sysctl()
    {
        string? value = SystemFile.FirstLine("/proc/sys/kernel/io_uring_disabled");
        return value switch
        {
            null => Finding.Unknown("kernel.io_uring_disabled",
                "this kernel has no such setting (before 6.6), or hides it"),
            "0" => Finding.Fact("kernel.io_uring_disabled", "0: io_uring is allowed for everyone"),
            "1" => Finding.Fact("kernel.io_uring_disabled",
                "1: allowed for privileged users and the group of kernel.io_uring_group",
                "sysctl -w kernel.io_uring_disabled=0 would allow it to everyone"),
            _ => Finding.Fact("kernel.io_uring_disabled", $"{value}: switched off",
                "sysctl -w kernel.io_uring_disabled=0 would allow it"),
        };
    }

    private static Finding Seccomp()
    {
        string[] status = SystemFile.Lines("/proc/self/status");
        string? mode = SystemFile.Value(status, "Seccomp:");
        return mode switch
        {
            null => Finding.Unknown("seccomp", "/proc/self/status does not tell"),
            "0" => Finding.Fact("seccomp", "no filter on this process"),
            _ => Finding.Fact("seccomp",
                $"mode {mode}, {SystemFile.Value(status, "Seccomp_filters:") ?? "some"} filters: a container's, for instance",
                "calls that it refuses are replaced by others one by one"),
        };
    }

    private static Finding Operations(RingDiagnosis rings) => rings.MissingOperations.Count == 0
        ? Finding.Yes("ring operations", "all that Sluice knows")
        : Finding.No("ring operations", $"missing: {string.Join(", ", rings.MissingOperations)}",
            "plain system calls in their place");

    private static Finding Modes(RingDiagnosis rings) => new(
        "ring modes", rings.HasCoopTaskrun ? FindingState.Yes : FindingState.No,
        $"COOP_TASKRUN {Word(rings.HasCoopTaskrun)}, SINGLE_ISSUER with DEFER_TASKRUN {Word(rings.HasDeferTaskrun)}",
        "rings of batches and of small files set COOP_TASKRUN; the others may be used by several threads and set none");

    private static Finding Registered(RingDiagnosis rings)
    {
        const string Name = "locked memory";
        string limit = rings.MemlockLimitBytes == long.MaxValue
            ? "no limit (CAP_IPC_LOCK, or none set)"
            : $"RLIMIT_MEMLOCK is {ByteSize.Format(rings.MemlockLimitBytes)}";
        string tried = $"registering {ByteSize.Format(RingDiagnosis.RegisteredBytes)} of buffers";
        const string Unneeded = "no more is needed: Sluice registers no buffers, and a transfer locks its own for its time";
        return rings.RegisterErrno switch
        {
            null => Finding.Fact(Name, $"{limit}; no ring to try it with", "some kernels count a ring's own memory"),
            0 => Finding.Yes(Name, $"{limit}; {tried} was tried", Unneeded),
            { } errno => Finding.No(Name, $"{limit}; {tried}: {ErrnoText.Of(errno)}", Unneeded),
        };
    }

    private static Finding Pool()
    {
        ThreadPool.GetMinThreads(out int workers, out _);
        return Finding.Fact("thread pool",
            $"{Environment.ProcessorCount} processors, {workers} threads at once without waiting",
            "continuations run there; blocking I/O of .NET needs a thread for each transfer outstanding");
    }

    private static Finding Descriptors()
    {
        const string Consequence = "one for each open file, and one for each ring";
        string? limits = SystemFile.Value(SystemFile.Lines("/proc/self/limits"), "Max open files");
        return limits?.Split(' ', StringSplitOptions.RemoveEmptyEntries) is [var soft, var hard, ..]
            ? Finding.Fact("descriptors", $"soft limit {soft}, hard limit {hard}", Consequence)
            : Finding.Unknown("descriptors", "/proc/self/limits does not tell", Consequence);
    }

    private static string Word(bool there) => there ? "yes" : "no";
}
