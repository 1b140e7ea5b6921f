namespace Sluice.Tests.Support;

/// <summary>Measures what operations allocate, over the whole process, because completions run on other threads.</summary>
internal static class Allocations
{
    /// <summary>Fails if an action allocates more than 6 bytes for each of its operations: the smallest object has 24.</summary>
    public static async Task ShouldBeNoneAsync(int operations, Func<Task> action)
    {
        long slack = operations * 6L;
        await action();

        // The least of a few runs: other threads of the test host allocate now and then.
        long least = long.MaxValue;
        for (int i = 0; i < 20 && least > slack; i++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await action();
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        least.ShouldBeLessThan(slack, $"{(double)least / operations:F1} bytes for each of {operations} operations");
    }
}
