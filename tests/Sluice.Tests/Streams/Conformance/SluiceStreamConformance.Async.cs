namespace Sluice.Tests.Streams;

public abstract partial class SluiceStreamConformance
{
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
}
