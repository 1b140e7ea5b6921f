namespace Sluice.Log.Tests;

/// <summary>The sample of a store with a log: what it has is what it has when it is opened again.</summary>
public sealed class StoreTests
{
    /// <summary>
    /// All of the log's memory waits to be written, but for a rest in which the shorter of two changes has room, and the longer one before
    /// it has not.
    /// </summary>
    [Fact]
    public async Task Changes_are_in_the_log_in_their_order_though_its_memory_is_full()
    {
        using TempFolder folder = new();
        HeldEngine engine = new();
        List<Task> changes = [];
        using (Store store = new(
            folder.Log, new SluiceLogOptions { MaxRecordBytes = 1000, BufferBytes = 2200, Preallocate = false, Engine = engine }))
        {
            engine.Hold();
            changes.Add(store.SetAsync("first", 0));
            Threads.WaitUntil(() => engine.Count > 0);
            Thread sets = new(() =>
            {
                // In the second page, of 1088 bytes, 12 are left.
                string filler = new('f', 516);
                changes.Add(store.SetAsync(filler, 1));
                changes.Add(store.SetAsync(filler, 2));
                changes.Add(store.SetAsync("key", int.MinValue));
                changes.Add(store.SetAsync("key", 2));
            });
            sets.Start();

            // It may wait for memory, and come to the last one only behind this.
            _ = sets.Join(TimeSpan.FromMilliseconds(500));
            engine.Release();
            sets.JoinInTime();
            await Task.WhenAll(changes).WaitAsync(TimeSpan.FromMinutes(1));
            store["key"].ShouldBe(2);
        }

        using Store again = new(folder.Log);
        again["key"].ShouldBe(2);
        again.Count.ShouldBe(3);
    }
}
