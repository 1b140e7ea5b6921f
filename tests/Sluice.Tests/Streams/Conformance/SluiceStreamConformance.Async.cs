namespace Sluice.Tests.Streams;

public abstract partial class SluiceStreamConformance
{
    [Fact]
    public async Task Writes_that_nobody_waits_for_land_one_behind_the_other()
    {
        byte[] content = Bytes.Pattern(100_000);
        Stream stream = Create(out string path);
        List<Task> writes = [];
        int position = 0;
        for (int i = 0; position < content.Length; i++)
        {
            int size = Math.Min((i * 977) % 6_000, content.Length - position);
            writes.Add(stream.WriteAsync(content.AsMemory(position, size)).AsTask());
            position += size;
        }

        await Task.WhenAll(writes);
        stream.Position.ShouldBe(content.Length);
        await stream.DisposeAsync();
        OnDisk(path).ShouldBeBytes(content);
    }

    [Fact]
    public async Task Reads_that_nobody_waits_for_get_their_bytes_one_behind_the_other()
    {
        using Stream stream = OpenNew(100_000, out byte[] content);
        byte[] buffer = new byte[content.Length];
        List<Task<int>> reads = [];
        List<int> sizes = [];
        for (int i = 1, position = 0; position < content.Length; i++)
        {
            int size = Math.Min((i * 977) % 6_000, content.Length - position);
            reads.Add(stream.ReadAsync(buffer.AsMemory(position, size)).AsTask());
            sizes.Add(size);
            position += size;
        }

        (await Task.WhenAll(reads)).ShouldBe(sizes);
        stream.Position.ShouldBe(content.Length);
        buffer.ShouldBeBytes(content);
    }

    [Fact]
    public async Task A_flush_between_writes_that_nobody_waits_for_loses_none()
    {
        // FileStream of .NET 10.0.12 fails here: its flush may write the buffer a second time, and 34,096 bytes arrive.
        byte[] content = Bytes.Pattern(30_000);
        Stream stream = Create(out string path);
        List<Task> tasks = [];
        for (int i = 0; i < 30; i++)
        {
            tasks.Add(stream.WriteAsync(content.AsMemory(i * 1_000, 1_000)).AsTask());
            tasks.Add(stream.FlushAsync());
        }

        await Task.WhenAll(tasks);
        OnDisk(path).ShouldBeBytes(content);
        await stream.DisposeAsync();
    }

    [Fact]
    public async Task A_cancelled_token_stops_an_operation_before_it_begins()
    {
        using Stream stream = OpenNew(10_000, out byte[] content);
        CancellationToken cancelled = new(canceled: true);
        byte[] buffer = new byte[5_000];
        stream.Position = 7;
        await Should.ThrowAsync<OperationCanceledException>(async () => await stream.ReadAsync(buffer, cancelled));
        await Should.ThrowAsync<OperationCanceledException>(() => stream.ReadAsync(buffer, 0, 10, cancelled));
        await Should.ThrowAsync<OperationCanceledException>(async () => await stream.WriteAsync(buffer, cancelled));
        await Should.ThrowAsync<OperationCanceledException>(() => stream.WriteAsync(buffer, 0, 10, cancelled));
        await Should.ThrowAsync<OperationCanceledException>(() => stream.FlushAsync(cancelled));
        await Should.ThrowAsync<OperationCanceledException>(() => stream.CopyToAsync(Stream.Null, cancelled));
        if (stream is SluiceStream own)
        {
            await Should.ThrowAsync<OperationCanceledException>(async () => await own.ReadByteAsync(cancelled));
            await Should.ThrowAsync<OperationCanceledException>(async () => await own.WriteByteAsync(1, cancelled));
        }

        stream.Position.ShouldBe(7);
        await stream.ReadExactlyAsync(buffer);
        buffer.ShouldBeBytes(content.AsSpan(7, 5_000));
        stream.Length.ShouldBe(10_000);
    }

    [Fact]
    public async Task A_token_cancelled_on_the_way_leaves_position_and_bytes_agreeing()
    {
        using Stream stream = OpenNew(400_000, out byte[] content);
        byte[] buffer = new byte[30_000];
        for (int i = 0; i < 40; i++)
        {
            using CancellationTokenSource source = new();
            stream.Position = i * 9_001;
            long before = stream.Position;
            ValueTask<int> read = stream.ReadAsync(buffer, source.Token);
            await source.CancelAsync();
            int bytes = 0;
            try
            {
                bytes = await read;
            }
            catch (OperationCanceledException)
            {
                // Then no byte was taken.
            }

            stream.Position.ShouldBe(before + bytes);
            buffer.AsMemory(0, bytes).ShouldBeBytes(content.AsSpan((int)before, bytes));
            stream.ReadByte().ShouldBe(content[before + bytes]);
        }
    }

    [Fact]
    public async Task Begin_and_End_carry_state_and_call_back()
    {
        using Stream stream = OpenNew(1_000, out byte[] content);
        object state = new();
        byte[] buffer = new byte[100];
        TaskCompletionSource<IAsyncResult> called = new(TaskCreationOptions.RunContinuationsAsynchronously);
        IAsyncResult begun = stream.BeginRead(buffer, 0, 100, called.SetResult, state);
        begun.AsyncState.ShouldBeSameAs(state);
        IAsyncResult finished = await called.Task;
        finished.AsyncState.ShouldBeSameAs(state);
        finished.IsCompleted.ShouldBeTrue();
        stream.EndRead(finished).ShouldBe(100);
        buffer.ShouldBeBytes(content.AsSpan(0, 100));
        called = new TaskCompletionSource<IAsyncResult>(TaskCreationOptions.RunContinuationsAsynchronously);
        stream.BeginWrite([255, 254], 0, 2, called.SetResult, state);
        stream.EndWrite(await called.Task);
        stream.Position.ShouldBe(102);
        stream.Position = 100;
        stream.ReadByte().ShouldBe(255);
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task Copying_takes_all_from_the_position_to_the_end(int size)
    {
        foreach (bool isAsync in (bool[])[false, true])
        {
            using Stream stream = OpenNew(size + 50, out byte[] content);
            using MemoryStream target = new();

            // Some bytes are in the buffer already, and some written ones are not in the file yet.
            stream.Position = 20;
            stream.ReadByte().ShouldBe(content[20]);
            content[21] = 255;
            stream.WriteByte(255);
            if (isAsync)
            {
                await stream.CopyToAsync(target, 777);
            }
            else
            {
                stream.CopyTo(target, 777);
            }

            target.ToArray().ShouldBeBytes(content.AsSpan(22));
            stream.Position.ShouldBe(content.Length);
            target.SetLength(0);
            await stream.CopyToAsync(target);
            target.Length.ShouldBe(0);
        }
    }
}
