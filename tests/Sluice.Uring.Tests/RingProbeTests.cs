using Shouldly;
using Sluice.Faults.Child.Support;
using Sluice.Uring.Abi;
using Sluice.Uring.Tests.Support;
using Xunit;

namespace Sluice.Uring.Tests;

/// <summary>What the probe says where rings work, and the one line it gives where they are refused.</summary>
public sealed class RingProbeTests
{
    [SkippableFact]
    public void Available_ring_has_no_refusal_and_the_operations_of_file_io()
    {
        Skip.IfNot(RingProbe.Current.IsAvailable, RingProbe.Current.Refusal ?? "");

        RingProbe probe = RingProbe.Run();

        probe.Refusal.ShouldBeNull();
        probe.Features.HasFlag(FeatureFlags.NoDrop | FeatureFlags.SubmitStable | FeatureFlags.ExtArg).ShouldBeTrue();
        probe.Supports(Opcode.Read).ShouldBeTrue();
        probe.Supports(Opcode.WriteV).ShouldBeTrue();
        probe.Supports((Opcode)255).ShouldBeFalse();
    }

    [SkippableTheory]
    [InlineData(Errno.EACCES, "refused by the sandbox (EACCES")]
    [InlineData(Errno.ENOSYS, "not in this kernel, or a seccomp filter hides it")]
    [InlineData(Errno.ENOMEM, "RLIMIT_MEMLOCK")]
    [InlineData(Errno.EMFILE, "RLIMIT_NOFILE")]
    [InlineData(Errno.EINVAL, "too old")]
    [InlineData(Errno.EIO, "io_uring_setup failed with errno 5")]
    public void Refused_setup_is_explained(int errno, string expected) => ProbeRefused(Seccomp.IoUringSetup, errno).ShouldContain(expected);

    [SkippableFact]
    public void Setup_refused_with_eperm_names_the_setting_or_the_sandbox()
    {
        string refusal = ProbeRefused(Seccomp.IoUringSetup, Errno.EPERM);

        string setting = File.Exists("/proc/sys/kernel/io_uring_disabled")
            ? File.ReadAllText("/proc/sys/kernel/io_uring_disabled").Trim()
            : "0";
        refusal.ShouldContain(setting is "1" or "2" ? $"kernel.io_uring_disabled = {setting}" : "a seccomp filter or a security module");
    }

    [SkippableFact]
    public void Refused_enter_is_explained() =>
        ProbeRefused(Seccomp.IoUringEnter, Errno.EPERM).ShouldBe("io_uring_enter is refused by the sandbox (errno 1)");

    [SkippableFact]
    public void Refused_register_is_explained() =>
        ProbeRefused(Seccomp.IoUringRegister, Errno.EACCES).ShouldBe("io_uring_register is refused by the sandbox (errno 13)");

    /// <summary>Runs the probe on a thread where a filter refuses the call; another thread's ring is not touched by it.</summary>
    private static string ProbeRefused(int systemCall, int errno)
    {
        Skip.IfNot(RingProbe.Current.IsAvailable, RingProbe.Current.Refusal ?? "");
        bool filtered = false;
        RingProbe? probe = null;
        TestThread.Run(() =>
        {
            filtered = Seccomp.TryRefuseOnThisThread(systemCall, errno);
            probe = filtered ? RingProbe.Run() : null;
        });
        Skip.IfNot(filtered, "This sandbox does not allow seccomp filters.");
        probe!.IsAvailable.ShouldBeFalse();
        probe.Supports(Opcode.Read).ShouldBeFalse();
        probe.SupportsDeferTaskrun.ShouldBeFalse();
        return probe.Refusal!;
    }
}
