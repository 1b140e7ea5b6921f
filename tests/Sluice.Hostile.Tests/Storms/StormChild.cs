namespace Sluice.Hostile.Tests.Storms;

/// <summary>All storms in a process that was started for them, whose pool has few threads; those are busy with other things most of the
/// time.</summary>
internal static class StormChild
{
    public static async Task<int> RunAsync(string folder, int seed)
    {
        ThreadPool.GetMaxThreads(out int threads, out _);
        Console.WriteLine($"{threads} threads, {SluiceEngines.Default.Name}");
        using TempFolder temp = new(folder);
        bool hasEnded = false;
        using SemaphoreSlim room = new(threads);
        Thread others = new(() =>
        {
            Random random = new(seed);
            while (!Volatile.Read(ref hasEnded))
            {
                room.Wait();
                int ms = random.Next(8);
                ThreadPool.UnsafeQueueUserWorkItem(
                    room =>
                    {
                        Thread.Sleep(ms);
                        room.Release();
                    },
                    room,
                    preferLocal: false);
                Thread.Sleep(random.Next(8));
            }
        });
        others.Start();
        foreach (string name in Storm.Names)
        {
            foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
            {
                await Storm.RunAsync(temp, name, "own", caching, seed++);
            }
        }

        Volatile.Write(ref hasEnded, true);
        others.Join();
        for (int i = 0; i < threads; i++)
        {
            await room.WaitAsync();
        }

        return 0;
    }
}
