using System.Buffers;
using System.IO.Pipelines;
using System.Text.Json;

namespace Sluice.Tests.Sequential;

public sealed class PipeTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public async Task Json_goes_through_pipes_both_ways()
    {
        string path = _temp.NewPath();
        int[] numbers = [.. Enumerable.Range(0, 50_000)];
        PipeWriter writer = new SluiceWriter(
            path, new SluiceWriterOptions { Caching = FileCaching.Direct, RequestSize = 4096 }).AsPipeWriter();
        await JsonSerializer.SerializeAsync(writer, numbers);
        writer.CanGetUnflushedBytes.ShouldBeTrue();
        await writer.CompleteAsync();
        PipeReader reader = new SluiceReader(
            path, new SluiceReaderOptions { Caching = FileCaching.Direct, RequestSize = 4096, Depth = 4 }).AsPipeReader();
        List<int> read = [];
        await foreach (int number in JsonSerializer.DeserializeAsyncEnumerable<int>(reader.AsStream()))
        {
            read.Add(number);
        }

        await reader.CompleteAsync();
        read.ShouldBe(numbers);
    }

    [Fact]
    public async Task A_pipe_that_is_completed_with_an_exception_beside_a_flush_is_closed()
    {
        TaskCompletionSource gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        string path = _temp.NewPath();
        SluiceWriter writer = new(path, new SluiceWriterOptions { Engine = new GatedEngine(gate.Task) });
        PipeWriter pipe = writer.AsPipeWriter();
        pipe.Write("abc"u8);
        Task<FlushResult> flush = pipe.FlushAsync().AsTask();
        flush.IsCompleted.ShouldBeFalse();
        pipe.Complete(new InvalidTimeZoneException());
        gate.SetResult();
        await Should.ThrowAsync<ObjectDisposedException>(() => flush.WaitAsync(TimeSpan.FromMinutes(1)));
        writer.SluiceHandle.SafeFileHandle.IsClosed.ShouldBeTrue();
        File.ReadAllBytes(path).ShouldBe("abc"u8.ToArray());
    }

    /// <summary>What was accepted before a cancellation is not written again.</summary>
    [Theory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public async Task A_flush_that_is_cancelled_at_any_time_writes_each_byte_once(FileCaching caching)
    {
        byte[] content = Bytes.Pattern(2_000_000);
        string path = _temp.NewPath();
        PipeWriter pipe = new SluiceWriter(path, new SluiceWriterOptions { Caching = caching, RequestSize = 8192 }).AsPipeWriter();
        for (int at = 0; at < content.Length; at += 100_000)
        {
            pipe.Write(content.AsSpan(at, 100_000));
            Task<FlushResult> flush = pipe.FlushAsync().AsTask();
            pipe.CancelPendingFlush();
            await flush;
        }

        while ((await pipe.FlushAsync()).IsCanceled)
        {
        }

        await pipe.CompleteAsync();
        File.ReadAllBytes(path).ShouldBeBytes(content);
    }

    [Fact]
    public async Task A_pipe_that_is_completed_with_an_exception_keeps_what_was_flushed()
    {
        string path = _temp.NewPath();
        PipeWriter pipe = new SluiceWriter(path).AsPipeWriter();
        await pipe.WriteAsync("flushed"u8.ToArray());
        pipe.Write(new byte[300_000]);
        await pipe.CompleteAsync(new InvalidTimeZoneException());
        File.ReadAllBytes(path).ShouldBe("flushed"u8.ToArray());
    }

    /// <summary>Ends each transfer when the test says so.</summary>
    private sealed class GatedEngine(Task gate) : InterceptingEngine
    {
        public override string Name => "gated";

        protected override Interception OnSubmit(in IoSubmission submission) => Interception.HoldUntil(() => gate);
    }
}
