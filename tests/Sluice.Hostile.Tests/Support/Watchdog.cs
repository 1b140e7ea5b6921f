namespace Sluice.Hostile.Tests.Support;

/// <summary>Tells a hang from work: half a minute without an end is one.</summary>
internal static class Watchdog
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public static async Task EndsAsync(Func<Task> action, string what)
    {
        // On a thread of its own: what hangs may be synchronous.
        Task task = Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
        if (await Task.WhenAny(task, Task.Delay(Patience)) != task)
        {
            Assert.Fail($"{what}: no end after {Patience.TotalSeconds} s");
        }

        await task;
    }
}
