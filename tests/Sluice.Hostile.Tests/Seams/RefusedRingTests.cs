using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// A kernel that refuses a ring in its midst: nothing is lost or made twice, nothing stays open, and no descriptor of anybody else's is
/// touched. A refusal is for good, so that each is of a process of its own.
/// </summary>
[Trait("Tier", "slow")]
public sealed class RefusedRingTests : HostileTests
{
    public static TheoryData<string> Kinds => RefusedRing.Kinds;

    [SkippableTheory]
    [MemberData(nameof(Kinds))]
    public async Task Whenever_a_borrowed_ring_is_refused_the_rest_goes_without_it(string kind)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "rings are Linux's");
        Skip.If(SluiceEngines.UringReason is not null, $"this process has no ring: {SluiceEngines.UringReason}");
        int refused = 0;
        foreach (int allowed in (int[])[0, 3])
        {
            string folder = Directory.CreateDirectory(Temp.NewPath()).FullName;
            using Child child = new([], [], "refused ring", folder, kind, $"{allowed}", $"{Errno.EPERM}");
            string? line = await child.Output.ReadLineAsync();
            await child.SucceedAsync();
            refused += line?.StartsWith("refused", StringComparison.Ordinal) == true ? 1 : 0;
        }

        refused.ShouldBeGreaterThan(0);
    }

    /// <summary>The kernel reports that it has no memory, or accepts a part of the entries.</summary>
    [SkippableTheory]
    [MemberData(nameof(Kinds))]
    public async Task Where_the_kernel_takes_no_entry_any_more_the_rest_goes_without_the_ring(string kind)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "rings are Linux's");
        Skip.If(SluiceEngines.UringReason is not null, $"this process has no ring: {SluiceEngines.UringReason}");
        int refused = 0;
        foreach ((int allowed, int errno) in ((int, int)[])[(0, Errno.EAGAIN), (2, Errno.ENOMEM), (0, 0)])
        {
            string folder = Directory.CreateDirectory(Temp.NewPath()).FullName;
            using Child child = new([], [], "refused ring", folder, kind, $"{allowed}", $"{errno}");
            string? line = await child.Output.ReadLineAsync();
            await child.SucceedAsync();
            refused += line?.StartsWith("refused", StringComparison.Ordinal) == true ? 1 : 0;
        }

        refused.ShouldBeGreaterThan(0);
    }

    [SkippableFact]
    public async Task What_is_queued_after_a_refusal_completes_as_cancelled()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "rings are Linux's");
        Skip.If(SluiceEngines.UringReason is not null, $"this process has no ring: {SluiceEngines.UringReason}");
        using Child child = new([], [], "queued after a refusal");
        await child.SucceedAsync();
    }
}
