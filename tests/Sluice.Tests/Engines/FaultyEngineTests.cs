using System.Reflection;
using Sluice.Testing;

namespace Sluice.Tests.Engines;

public sealed class FaultyEngineTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public Task A_failing_device_is_an_IOException_and_the_next_transfer_is_right(FileCaching caching) => OnLastingThreads(async () =>
    {
        FaultyEngine engine = new(new FaultPlan(1).FailAt(0, FaultKind.DeviceError).FailAt(2, FaultKind.DeviceError));
        byte[] content = Bytes.Pattern(5000);
        await using SluiceHandle handle = Open(_temp.NewFile(content), engine, caching);
        byte[] buffer = new byte[5000];
        IOException error = await Should.ThrowAsync<IOException>(async () => await handle.ReadAsync(buffer, 0));
        error.HResult.ShouldBe(Sluice.Uring.Errno.EIO);
        error.Message.ShouldContain(handle.Path);
        (await handle.ReadAsync(buffer, 0)).ShouldBe(5000);
        buffer.ShouldBeBytes(content);
        Should.Throw<IOException>(() => handle.Append(content));
        handle.Length.ShouldBe(5000);
        engine.OperationCount.ShouldBe(3);
        engine.FaultCount.ShouldBe(2);
    });

    [Fact]
    public async Task A_full_disk_is_an_IOException_and_leaves_what_was_written()
    {
        FaultyEngine engine = new(new FaultPlan(1).FailAt(1, FaultKind.DiskFull));
        await using SluiceHandle handle = Open(_temp.NewFile(0), engine);
        await handle.WriteAsync(Bytes.Pattern(100), 0);
        IOException error = await Should.ThrowAsync<IOException>(async () => await handle.WriteAsync(Bytes.Pattern(100), 100));
        error.HResult.ShouldBe(Sluice.Uring.Errno.ENOSPC);
        handle.Length.ShouldBe(100);
    }

    [Fact]
    public Task Of_two_transfers_that_are_reordered_the_second_ends_first() => OnLastingThreads(async () =>
    {
        FaultyEngine engine = new(new FaultPlan(1) { Reorder = 1, MaxDelayMs = 1000 });
        FieldInfo held = typeof(FaultyEngine).GetField("_held", BindingFlags.Instance | BindingFlags.NonPublic)!;
        byte[] content = Bytes.Pattern(200);
        await using SluiceHandle handle = Open(_temp.NewFile(content), engine);
        byte[][] buffers = [new byte[100], new byte[100]];
        Task<int> first = handle.ReadAsync(buffers[0], 0).AsTask();
        while (held.GetValue(engine) is null)
        {
            await Task.Delay(1);
        }

        Task<int> second = handle.ReadAsync(buffers[1], 100).AsTask();
        (await Task.WhenAny(first, second)).ShouldBeSameAs(second);
        await first;
        await second;
        buffers[0].ShouldBeBytes(content.AsSpan(0, 100));
        buffers[1].ShouldBeBytes(content.AsSpan(100));
    });

    [Fact]
    public void One_failing_read_of_a_batch_has_its_error_and_the_others_are_done()
    {
        FaultyEngine engine = new(new FaultPlan(1).FailAt(3, FaultKind.DeviceError));
        byte[] content = Bytes.Pattern(8000);
        using SluiceHandle handle = Open(_temp.NewFile(content), engine);
        ReadRequest[] requests = [.. Enumerable.Range(0, 8).Select(i => new ReadRequest(i * 1000, new byte[1000]))];
        IOException error = Should.Throw<IOException>(() => handle.ReadBatch(requests));
        for (int i = 0; i < requests.Length; i++)
        {
            requests[i].Error.ShouldBe(i == 3 ? error : null);
            requests[i].BytesRead.ShouldBe(i == 3 ? 0 : 1000);
            if (i != 3)
            {
                requests[i].Buffer.ShouldBeBytes(content.AsSpan(i * 1000, 1000));
            }
        }
    }

    [Fact]
    public async Task The_ambient_engine_serves_handles_opened_in_its_scope_and_context()
    {
        string path = _temp.NewFile(10);
        FaultyEngine engine = new(new FaultPlan(1));
        using (IoEngine.UseForCurrentContext(engine))
        {
            using SluiceHandle inside = SluiceHandle.Open(path);
            inside.EngineName.ShouldBe(engine.Name);
            using SluiceHandle flowed = await Task.Run(() => SluiceHandle.Open(path));
            flowed.EngineName.ShouldBe(engine.Name);
            using (IoEngine.UseForCurrentContext(SluiceEngines.Pool))
            {
                using SluiceHandle inner = SluiceHandle.Open(path);
                inner.EngineName.ShouldBe("pool");
            }

            using SluiceHandle again = SluiceHandle.Open(path);
            again.EngineName.ShouldBe(engine.Name);
        }

        using SluiceHandle outside = SluiceHandle.Open(path);
        outside.EngineName.ShouldBe(SluiceEngines.Default.Name);
    }

    [Fact]
    public void Its_arguments_are_checked()
    {
        Should.Throw<ArgumentNullException>(() => new FaultyEngine(null!));
        Should.Throw<ArgumentException>(() => new FaultyEngine(new FaultPlan(1), new FaultyEngine(new FaultPlan(2))));
        Should.Throw<ArgumentNullException>(() => IoEngine.UseForCurrentContext(null!));
        new FaultyEngine(new FaultPlan(5), SluiceEngines.Pool).Name.ShouldBe("faulty pool");
    }

    /// <summary>
    /// For tests that count submissions: what a thread has submitted is cancelled by the kernel when that thread ends, as threads of a
    /// test's host do, and is submitted again. The pool's live on.
    /// </summary>
    private static Task OnLastingThreads(Func<Task> test) => Task.Run(test);

    private static SluiceHandle Open(string path, FaultyEngine engine, FileCaching caching = FileCaching.Cached) => SluiceHandle.Open(
        path, new SluiceOptions { Access = FileAccess.ReadWrite, Share = FileShare.ReadWrite, Engine = engine, Caching = caching });
}
