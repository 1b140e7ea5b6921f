namespace Sluice.Hostile.Tests.Support;

/// <summary>Tells a hang from work: two minutes without an end are one.</summary>
internal static class Watchdog
{
    public static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

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
