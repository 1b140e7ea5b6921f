using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Sequential;

// To a pipe, whose other end may take nothing for as long as it likes.
public sealed partial class SluiceWriterTests
{
    private const int PipeBytes = 65_536;

    private static readonly TimeSpan PipePatience = TimeSpan.FromMinutes(1);

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_cancelled_flush_of_a_pipe_loses_nothing(bool isInTheMidst)
    {
        byte[] content = Bytes.Pattern(isInTheMidst ? 200_000 : 300);
        byte[] more = Bytes.Pattern(1000, 3);
        (SluiceWriter writer, SafeFileHandle read) = ToPipe(requestSize: 300_000);
        using CancellationTokenSource source = new();
        writer.Write(content);
        if (!isInTheMidst)
        {
            source.Cancel();
        }

        Task flush = writer.FlushAsync(cancellationToken: source.Token).AsTask();
        if (isInTheMidst)
        {
            await IsFullAsync(read);
            source.Cancel();
        }

        await Should.ThrowAsync<OperationCanceledException>(() => flush.WaitAsync(PipePatience));
        writer.Write(more);
        Task closing = Task.Run(() => writer.DisposeAsync().AsTask());
        byte[] received = await ReadToEndAsync(read);
        await closing;
        received.ShouldBeBytes([.. content, .. more]);
    }

    [SkippableFact]
    public async Task A_large_write_to_a_pipe_that_is_cancelled_goes_on_at_its_position()
    {
        byte[] content = Bytes.Pattern(1_000_000);
        (SluiceWriter writer, SafeFileHandle read) = ToPipe(requestSize: 100_000);
        using CancellationTokenSource source = new();
        Task write = Task.Run(() => writer.WriteAsync(content, source.Token).AsTask());
        await IsFullAsync(read);
        await source.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => write.WaitAsync(PipePatience));
        Task<byte[]> reading = ReadToEndAsync(read);
        await writer.WriteAsync(content.AsMemory((int)writer.Position));
        await writer.DisposeAsync();
        (await reading).ShouldBeBytes(content);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Disposing_ends_a_writers_wait_for_a_pipe(bool isFlush)
    {
        byte[] content = Bytes.Pattern(1_000_000);
        (SluiceWriter writer, SafeFileHandle read) = ToPipe(requestSize: isFlush ? 2_000_000 : 100_000);
        Task call = Task.Run(async () =>
        {
            await writer.WriteAsync(content);
            await writer.FlushAsync();
        });
        await IsFullAsync(read);
        call.IsCompleted.ShouldBeFalse();
        writer.Dispose();
        await Should.ThrowAsync<ObjectDisposedException>(() => call.WaitAsync(PipePatience));

        // Others get memory, while what has begun to go out may still go: it is the writer's.
        string path = _temp.NewPath();
        byte[] others = Bytes.Pattern(3_000_000, 5);
        using (SluiceWriter other = new(path, new SluiceWriterOptions { RequestSize = isFlush ? 2_000_000 : 100_000 }))
        {
            for (int at = 0; at < others.Length; at += 50_000)
            {
                other.Write(others.AsSpan(at, 50_000));
            }
        }

        File.ReadAllBytes(path).ShouldBeBytes(others);
        byte[] received = await ReadToEndAsync(read).WaitAsync(PipePatience);
        received.Length.ShouldBeGreaterThanOrEqualTo(PipeBytes);
        received.ShouldBeBytes(content.AsSpan(0, received.Length));
    }

    private static (SluiceWriter Writer, SafeFileHandle Read) ToPipe(int requestSize)
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        SluiceHandle handle = SluiceHandle.FromSafeFileHandle(write, FileAccess.Write, ownsHandle: true);
        return (new SluiceWriter(handle, new SluiceWriterOptions { RequestSize = requestSize }), read);
    }

    private static async Task IsFullAsync(SafeFileHandle read)
    {
        while (Native.AvailableBytes(read) < PipeBytes)
        {
            await Task.Delay(1);
        }
    }

    private static Task<byte[]> ReadToEndAsync(SafeFileHandle read) => Task.Run(() =>
    {
        using FileStream stream = new(read, FileAccess.Read, 0);
        using MemoryStream received = new();
        stream.CopyTo(received);
        return received.ToArray();
    });
}
