namespace Sluice.Log.Tests.Support;

/// <summary>Waits of tests that come to an end, whatever others do.</summary>
internal static class Threads
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(3);

    /// <summary>Waits for the end of a thread; one that hangs is a failure.</summary>
    public static void JoinInTime(this Thread thread) => thread.Join(Patience).ShouldBeTrue("a thread has not ended");

    /// <summary>Waits for the end of all threads.</summary>
    public static void JoinInTime(this Thread[] threads) => Array.ForEach(threads, static t => t.JoinInTime());

    /// <summary>Starts threads, each with its number from 0 on.</summary>
    public static Thread[] Start(int count, Action<int> run)
    {
        Thread[] threads = [.. Enumerable.Range(0, count).Select(t => new Thread(() => run(t)) { IsBackground = true })];
        Array.ForEach(threads, static t => t.Start());
        return threads;
    }

    /// <summary>Waits until a condition is true; one that stays false is a failure.</summary>
    public static void WaitUntil(Func<bool> condition, string? what = null) =>
        SpinWait.SpinUntil(condition, TimeSpan.FromMinutes(1)).ShouldBeTrue(what);
}
