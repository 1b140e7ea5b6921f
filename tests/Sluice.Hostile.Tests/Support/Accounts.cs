using Sluice.Memory;

namespace Sluice.Hostile.Tests.Support;

/// <summary>What must be as before when a test has ended: memory, and descriptors of its files.</summary>
internal sealed class Accounts
{
    private readonly string _root;
    private readonly int _rented;
    private readonly int _secondReturns;

    private Accounts(string root)
    {
        _root = root;
        _rented = Rented();
        _secondReturns = AlignedBufferPool.SecondReturns;
    }

    public static Accounts Open(string root) => new(root);

    /// <summary>
    /// Fails when something was not given back, was given back twice, or is had by two. What was in flight when its owner was closed
    /// gives its memory back when it ends: that is waited for. What was in flight before these accounts were opened may come back, too.
    /// </summary>
    public async Task CloseAsync(string what)
    {
        for (int i = 0; i < 12_000 && (Rented() > _rented || OpenFiles.Of(_root).Count > 0); i++)
        {
            await Task.Delay(i < 100 ? 1 : 10);
        }

        Rented().ShouldBeLessThanOrEqualTo(_rented, $"{what}: leases that have not ended");
        AlignedBufferPool.SecondReturns.ShouldBe(_secondReturns, $"{what}: leases that were ended twice");
        OpenFiles.Of(_root).ShouldBeEmpty($"{what}: files that are open");
        NobodySharesMemory(what);
    }

    /// <summary>All descriptors of the process; 0 where they cannot be counted.</summary>
    public static int DescriptorCount() => Directory.Exists("/proc/self/fd") ? Directory.GetFileSystemEntries("/proc/self/fd").Length : 0;

    private static int Rented() => AlignedBufferPool.Rented;

    private static void NobodySharesMemory(string what)
    {
        MemoryLease[] leases = [.. Enumerable.Range(0, 40).Select(i => AlignedBufferPool.Rent(4096 << (i % 5)))];
        for (int i = 0; i < leases.Length; i++)
        {
            leases[i].Span.Fill((byte)(i + 1));
        }

        for (int i = 0; i < leases.Length; i++)
        {
            leases[i].Span.ContainsAnyExcept((byte)(i + 1)).ShouldBeFalse($"{what}: memory that two have");
            leases[i].Return();
        }
    }
}
