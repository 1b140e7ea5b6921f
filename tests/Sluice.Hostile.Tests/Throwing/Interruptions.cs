namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// Callers that leave an interruption behind on the thread of the pool where they go on: the next wait there hears of it, and that is never
/// one of the engine's. An exception that nobody expects ends the process, so this is a program of its own.
/// </summary>
internal static class Interruptions
{
    private const int Block = 4096;
    private const int Blocks = 64;
    private const int Callers = 64;
    private static readonly byte[] Content = Bytes.Pattern(Blocks * Block);

    public static async Task<int> RunAsync(string folder)
    {
        string path = Path.Combine(folder, "file");
        File.WriteAllBytes(path, Content);
        using SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct);
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Task.Run(() => CallAsync(handle, caller))))
            .WaitAsync(Watchdog.Patience);
        return 0;
    }

    private static async Task CallAsync(SluiceHandle handle, int caller)
    {
        byte[] buffer = new byte[Block];
        for (int i = 0; i < 1000; i++)
        {
            int block = (caller + i) % Blocks;
            (await handle.ReadAsync(buffer, block * Block)).ShouldBe(Block);
            buffer.ShouldBeBytes(Content.AsSpan(block * Block, Block));
            if (i % 4 == 0)
            {
                Thread.CurrentThread.Interrupt();
            }
        }
    }
}
