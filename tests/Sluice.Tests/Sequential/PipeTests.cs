using System.Buffers;
using System.IO.Pipelines;
using System.Text.Json;
using Microsoft.Win32.SafeHandles;

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

    /// <summary>Not one that the library made of it.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_wait_for_a_pipe_that_a_token_ends_says_which(bool isWriter)
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        using CancellationTokenSource source = new();
        using SafeFileHandle other = isWriter ? read : write;
        SluiceHandle handle = SluiceHandle.FromSafeFileHandle(
            isWriter ? write : read, isWriter ? FileAccess.Write : FileAccess.Read, ownsHandle: true);
        Task wait;
        Action end;
        if (isWriter)
        {
            PipeWriter pipe = new SluiceWriter(handle, new SluiceWriterOptions { RequestSize = 300_000 }).AsPipeWriter();
            pipe.Write(Bytes.Pattern(200_000));
            wait = pipe.FlushAsync(source.Token).AsTask();
            end = () => pipe.Complete(new InvalidTimeZoneException());
        }
        else
        {
            PipeReader pipe = new SluiceReader(handle).AsPipeReader();
            wait = pipe.ReadAsync(source.Token).AsTask();
            end = () => pipe.Complete();
        }

        await source.CancelAsync();
        OperationCanceledException error = await Should.ThrowAsync<OperationCanceledException>(
            () => wait.WaitAsync(TimeSpan.FromMinutes(1)));
        error.CancellationToken.ShouldBe(source.Token);
        end();
    }

    /// <summary>Ends each transfer when the test says so.</summary>
    private sealed class GatedEngine(Task gate) : InterceptingEngine
    {
        public override string Name => "gated";

        protected override Interception OnSubmit(in IoSubmission submission) => Interception.HoldUntil(() => gate);
    }
}
