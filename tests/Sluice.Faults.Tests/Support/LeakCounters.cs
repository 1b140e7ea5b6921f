using Shouldly;
using Sluice.Engines;
using Sluice.Memory;
using Sluice.Tests.Shared;

namespace Sluice.Faults.Tests.Support;

/// <summary>What a test must leave as it found it.</summary>
/// <param name="folder">Whose files are counted.</param>
/// <param name="countsRings">Whether rings are counted too: not where each of many operations may be the first to need one.</param>
internal sealed class LeakCounters(string folder, bool countsRings = true)
{
    private readonly string[] _descriptors = Descriptors(folder, countsRings);
    private readonly int _rented = Rented();
    private readonly long _operations = OperationPool.Created;

    /// <summary>The files of the test's folder, and rings: the runtime opens files of its own when it likes.</summary>
    private static string[] Descriptors(string folder, bool countsRings) =>
        [.. OpenFiles.All().Select(static l => l.Target)
            .Where(t => OpenFiles.IsIn(folder, t) || (countsRings && t.Contains("io_uring", StringComparison.Ordinal)))
            .Order(StringComparer.Ordinal)];

    private static int Rented() => AlignedBufferPool.Rented;

    private bool IsBusy() => InFlight != 0 || Rented() > _rented || OpenedSince().Count > 0;

    /// <summary>What is open and was not; what was on its way when counting began may have come back since.</summary>
    private List<string> OpenedSince()
    {
        List<string> opened = [.. Descriptors(folder, countsRings)];
        foreach (string before in _descriptors)
        {
            _ = opened.Remove(before);
        }

        return opened;
    }

    private static int InFlight => SluiceEngines.Default is UringEngine ring ? ring.Duty.InFlight : 0;

    /// <summary>
    /// Descriptors and rented buffers as before, nothing in flight, and operations made anew only to fill the pool's lists for each
    /// thread: far fewer than the run used.
    /// </summary>
    public async Task ShouldBeAsBeforeAsync(long operationsUsed, string what)
    {
        // The last continuation may run a moment before its engine has put everything back.
        for (int i = 0; i < 6000 && IsBusy(); i++)
        {
            await Task.Delay(10);
        }

        InFlight.ShouldBe(0, what);
        Rented().ShouldBeLessThanOrEqualTo(_rented, what);
        OpenedSince().ShouldBeEmpty(what);
        (OperationPool.Created - _operations).ShouldBeLessThan(Math.Max(2000, operationsUsed / 10), what);
    }
}
