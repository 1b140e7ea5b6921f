using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Streams;

/// <summary>What a stream sends to a pipe: at once where it is asynchronous, and each byte once.</summary>
public sealed class StreamPipeTests
{
    [SkippableTheory]
    [InlineData(SluiceOptions.Adaptive)]
    [InlineData(64)]
    [InlineData(4096)]
    public async Task A_byte_that_is_written_to_a_pipe_asynchronously_is_there_with_what_was_written_before(int bufferSize)
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        using SafeFileHandle reader = read;
        await using SluiceStream writer = new(
            SluiceHandle.FromSafeFileHandle(write, FileAccess.Write, ownsHandle: true), FileAccess.Write, bufferSize);
        writer.WriteByte(1);
        await writer.WriteByteAsync(2);
        Native.AvailableBytes(reader).ShouldBe(2);
    }

    /// <summary>A flush fails when the pipe has taken a part of it; the next try sends the rest.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_a_failed_flush_has_sent_to_a_pipe_is_not_sent_again(bool isAsync)
    {
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        using FileStream reader = new(read, FileAccess.Read, 0);
        int room = Native.RoomOf(write);
        byte[] content = Bytes.Pattern(room + 10_000);
        SluiceStream writer = new(
            SluiceHandle.FromSafeFileHandle(write, null, FileAccess.Write, ownsHandle: true, new FailingBehind(room)),
            FileAccess.Write,
            content.Length + 1);
        writer.Write(content, 0, room - 4096);
        writer.Flush();
        writer.Write(content.AsSpan(room - 4096));
        _ = await Should.ThrowAsync<IOException>(() => writer.FlushAsync(isAsync));
        byte[] first = Drain(reader);
        first.Length.ShouldBe(room);
        await writer.DisposeAsync();
        ((byte[])[.. first, .. Drain(reader)]).ShouldBeBytes(content);
    }

    /// <summary>Whether the flush is cancelled or not: what has gone out is not sent once more.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_a_cancelled_call_has_sent_to_a_pipe_is_not_sent_again(bool isWrite)
    {
        byte[] content = Bytes.Pattern(200_000);
        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        using FileStream reader = new(read, FileAccess.Read, 0);
        SluiceStream writer = new(
            SluiceHandle.FromSafeFileHandle(write, FileAccess.Write, ownsHandle: true), FileAccess.Write, 200_001);
        using CancellationTokenSource source = new();
        writer.Write(content.AsSpan(0, isWrite ? 199_999 : 200_000));
        Task call = isWrite
            ? Task.Run(() => writer.WriteAsync(content.AsMemory(199_999), source.Token).AsTask())
            : Task.Run(() => writer.FlushAsync(source.Token));
        while (Native.AvailableBytes(read) < 65_536)
        {
            await Task.Delay(1);
        }

        await source.CancelAsync();
        Task<byte[]> all = Task.Run(() =>
        {
            using MemoryStream received = new();
            reader.CopyTo(received);
            return received.ToArray();
        });
        bool isAccepted = await call.ContinueWith(static t => t.IsCompletedSuccessfully, TaskScheduler.Default);
        await writer.DisposeAsync();
        (await all).ShouldBeBytes(content.AsSpan(0, isWrite && !isAccepted ? 199_999 : 200_000));
    }

    /// <summary>What a pipe has at this moment.</summary>
    private static byte[] Drain(FileStream pipe)
    {
        byte[] bytes = new byte[Native.AvailableBytes(pipe.SafeFileHandle)];
        pipe.ReadExactly(bytes);
        return bytes;
    }

    /// <summary>Passes so many bytes of writes, then fails one submission, then passes everything.</summary>
    private sealed class FailingBehind(int bytes) : InterceptingEngine
    {
        private int _left = bytes;

        public override string Name => "failing";

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            const int inputOutputError = 5;
            if (!submission.IsWrite)
            {
                return Interception.PassOn;
            }

            if (_left == 0)
            {
                _left = int.MaxValue;
                return Interception.Fail(inputOutputError);
            }

            int taken = Math.Min(submission.Length, _left);
            _left -= taken;
            return taken < submission.Length ? Interception.ShortenTo(taken) : Interception.PassOn;
        }
    }
}
