namespace Sluice.Tests.Support;

/// <summary>
/// All threads that the pool of this process may have, busy until this is disposed of. A program that has not come so far after five
/// minutes hangs: it is ended, and says where it was.
/// </summary>
internal sealed class BusyPool : IDisposable
{
    private readonly ManualResetEventSlim _end = new();

    /// <param name="threads">The least that there may be.</param>
    /// <param name="where">What the program is at.</param>
    public BusyPool(int threads, Func<string> where)
    {
        ThreadPool.SetMinThreads(threads, threads);
        ThreadPool.SetMaxThreads(Math.Max(threads, Environment.ProcessorCount), threads);
        ThreadPool.GetMaxThreads(out int most, out _);
        CountdownEvent begun = new(most);
        for (int i = 0; i < most; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    begun.Signal();
                    _end.Wait();
                },
                null);
        }

        begun.Wait();
        new Thread(() =>
        {
            if (!_end.Wait(TimeSpan.FromMinutes(5)))
            {
                Console.Error.WriteLine($"did not come back: {where()}");
                Environment.Exit(3);
            }
        })
        {
            IsBackground = true,
        }.Start();
    }

    public void Dispose() => _end.Set();
}
