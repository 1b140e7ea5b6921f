using System.Collections.Concurrent;

namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Append_returns_where_the_bytes_landed(bool isAsync)
    {
        await using SluiceHandle handle = OpenNew(700, out byte[] expected);
        foreach (int size in (int[])[0, 1, 511, 0, 512, 4096, 5000, 0, 100_000])
        {
            byte[] bytes = Bytes.Pattern(size, size);
            (await AppendAsync(handle, bytes, isAsync)).ShouldBe(expected.Length);
            expected = [.. expected, .. bytes];
        }

        // A write behind the end moves it; the next append goes there.
        await WriteAsync(handle, Bytes.Pattern(10), expected.Length + 1000, isAsync);
        expected = Written(expected, Bytes.Pattern(10), expected.Length + 1000);
        (await AppendAsync(handle, Bytes.Pattern(3), isAsync)).ShouldBe(expected.Length);
        Content(handle).ShouldBeBytes([.. expected, .. Bytes.Pattern(3)]);
        handle.SetLength(5);
        (await AppendAsync(handle, Bytes.Pattern(3), isAsync)).ShouldBe(5);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Appends_of_64_threads_on_two_handles_are_whole_and_where_they_say(bool isAsync)
    {
        const int writers = 64;
        int count = IsFaulty ? 3 : 20;
        string path = _temp.NewFile(100);
        await using SluiceHandle first = Open(path);
        await using SluiceHandle second = Open(path);
        ConcurrentDictionary<(int, int), long> landed = [];
        await Task.WhenAll(Enumerable.Range(0, writers).Select(writer => OnItsOwnThread(!isAsync, async () =>
        {
            SluiceHandle handle = writer % 2 == 0 ? first : second;
            for (int i = 0; i < count; i++)
            {
                landed[(writer, i)] = await AppendAsync(handle, AppendRecords.Make(writer, i), isAsync);
            }
        })));
        AppendRecords.Check(Content(first), 100, writers, count, landed);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Appends_under_a_handle_that_is_closed_are_whole_or_refused(bool isAsync)
    {
        const int writers = 8;
        const int most = 1_000_000;
        string path = _temp.NewFile(0);
        SluiceHandle handle = Open(path);
        ConcurrentDictionary<(int, int), long> landed = [];
        using var begun = new CountdownEvent(writers);
        Task<int>[] ended = [.. Enumerable.Range(0, writers).Select(writer => OnItsOwnThread(!isAsync, async () =>
        {
            for (int i = 0; i < most; i++)
            {
                try
                {
                    landed[(writer, i)] = await AppendAsync(handle, AppendRecords.Make(writer, i), isAsync);
                }
                catch (ObjectDisposedException)
                {
                    return i;
                }

                if (i == 2)
                {
                    begun.Signal();
                }

                // An append that completes at once would never let the other writers begin.
                if (isAsync)
                {
                    await Task.Yield();
                }
            }

            return most;
        }))];
        begun.Wait();
        handle.Dispose();
        int[] counts = await Task.WhenAll(ended);

        // A refused record may not stand there, an acknowledged one must.
        await using SluiceHandle again = Open(path);
        AppendRecords.Check(Content(again), 0, counts, landed);
    }

    private static Task<T> OnItsOwnThread<T>(bool blocks, Func<Task<T>> body) =>
        Task.Factory.StartNew(
            body, CancellationToken.None, blocks ? TaskCreationOptions.LongRunning : TaskCreationOptions.None, TaskScheduler.Default).Unwrap();

    /// <summary>A thread of its own for calls that block, which would starve the pool that carries them out.</summary>
    private static Task OnItsOwnThread(bool blocks, Func<Task> body) =>
        Task.Factory.StartNew(
            body, CancellationToken.None, blocks ? TaskCreationOptions.LongRunning : TaskCreationOptions.None, TaskScheduler.Default).Unwrap();

    [Fact]
    public async Task Appends_of_other_processes_are_whole_too()
    {
        const int writers = 4;
        int count = _caching == FileCaching.Direct ? 150 : 1000;
        string path = _temp.NewFile(33);
        await using SluiceHandle handle = Open(path);
        string verb = _caching == FileCaching.Direct ? "append-direct" : "append";
        List<Task<int>> children = [];
        for (int writer = 1; writer < writers; writer++)
        {
            children.Add(ChildProcess.RunAsync(verb, path, $"{writer}", $"{count}"));
        }

        ConcurrentDictionary<(int, int), long> landed = [];
        for (int i = 0; i < count; i++)
        {
            landed[(0, i)] = await handle.AppendAsync(AppendRecords.Make(0, i));
            await Task.Yield();
        }

        (await Task.WhenAll(children)).ShouldAllBe(exit => exit == 0);
        AppendRecords.Check(Content(handle), 33, writers, count, landed);
    }

    [Fact]
    public async Task Append_beside_writes_and_reads_keeps_all_bytes()
    {
        const int rounds = 100;
        await using SluiceHandle handle = OpenNew(3000, out byte[] content);
        byte[] record = Bytes.Pattern(77);
        List<Task> tasks = [];
        for (int i = 0; i < rounds; i++)
        {
            tasks.Add(handle.AppendAsync(record).AsTask());
            tasks.Add(handle.WriteAsync(content.AsMemory(i * 10, 10), i * 10).AsTask());
            tasks.Add(handle.ReadAsync(new byte[100], 100 + i).AsTask());
        }

        await Task.WhenAll(tasks);
        Content(handle).ShouldBeBytes([.. content, .. Enumerable.Repeat(record, rounds).SelectMany(r => r)]);
    }
}
