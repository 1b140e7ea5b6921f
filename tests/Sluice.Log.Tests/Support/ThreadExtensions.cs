namespace Sluice.Log.Tests.Support;

/// <summary>Waits of tests that come to an end, whatever others do.</summary>
internal static class ThreadExtensions
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(3);

    /// <summary>Waits for the end of a thread; one that hangs is a failure.</summary>
    public static void JoinInTime(this Thread thread) => thread.Join(Patience).ShouldBeTrue("a thread has not ended");
}
