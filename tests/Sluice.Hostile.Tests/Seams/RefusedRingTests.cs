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

    /// <summary>The kernel refuses to be entered, reports that it has no memory, or accepts a part of the entries.</summary>
    [SkippableTheory]
    [MemberData(nameof(Kinds))]
    public async Task Whenever_a_borrowed_ring_is_refused_the_rest_goes_without_it(string kind)
    {
        SkipWithoutRing();
        HashSet<int> refused = [];
        foreach ((int allowed, int errno) in ((int, int)[])
            [(0, Errno.EPERM), (3, Errno.EPERM), (0, Errno.EAGAIN), (2, Errno.ENOMEM), (0, 0)])
        {
            string folder = Directory.CreateDirectory(Temp.NewPath()).FullName;
            using ChildProcess child = new(null, "refused ring", folder, kind, $"{allowed}", $"{errno}");
            string? line = await child.Output.ReadLineAsync();
            await child.SucceedAsync();
            if (line?.StartsWith("refused", StringComparison.Ordinal) == true)
            {
                refused.Add(errno);
            }
        }

        refused.ShouldContain(Errno.EPERM);
        refused.Count.ShouldBeGreaterThan(1);
    }

    [SkippableTheory]
    [InlineData(Errno.EPERM)]
    [InlineData(Errno.EAGAIN)]
    public async Task What_is_cancelled_when_the_kernel_refuses_the_ring_ends(int errno)
    {
        SkipWithoutRing();
        using ChildProcess child = new(null, "cancelled in a refused ring", Temp.NewFifo(), $"{errno}");
        await child.SucceedAsync();
    }
}
