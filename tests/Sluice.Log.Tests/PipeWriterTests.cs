using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using System.Text.Json;

namespace Sluice.Log.Tests;

/// <summary>What is written up to a flush is one record.</summary>
public sealed class PipeWriterTests
{
    [Fact]
    public async Task Each_flush_is_a_record_and_what_is_left_is_the_last()
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open())
        {
            PipeWriter pipe = log.CreatePipeWriter(LogDurability.Written);
            pipe.CanGetUnflushedBytes.ShouldBeTrue();
            pipe.Write("one "u8);
            pipe.Write("record"u8);
            pipe.UnflushedBytes.ShouldBe(10);
            (await pipe.FlushAsync()).IsCanceled.ShouldBeFalse();
            pipe.UnflushedBytes.ShouldBe(0);
            (await pipe.FlushAsync()).IsCompleted.ShouldBeFalse();
            (await pipe.WriteAsync("another"u8.ToArray())).IsCompleted.ShouldBeFalse();
            log.WrittenSequence.ShouldBe(2);
            await using (Utf8JsonWriter json = new(pipe))
            {
                json.WriteStartObject();
                json.WriteNumber("n", 1);
                json.WriteEndObject();
            }

            await pipe.CompleteAsync();
            await pipe.CompleteAsync();
            Should.Throw<InvalidOperationException>(() => pipe.GetMemory());
            log.NextSequence.ShouldBe(4);
            log.Append("the log is open"u8);
        }

        folder.ReadAll().Select(static r => Encoding.UTF8.GetString(r.Item2))
            .ShouldBe(["one record", "another", "{\"n\":1}", "the log is open"]);
    }

    /// <summary>What was appended or dropped at the end does not come again.</summary>
    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task A_flush_behind_the_completion_appends_nothing(bool fails, bool isAwaited)
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open();
        PipeWriter pipe = log.CreatePipeWriter();
        pipe.Write("once"u8);
        Exception? exception = fails ? new InvalidOperationException("no more") : null;
        if (isAwaited)
        {
            await pipe.CompleteAsync(exception);
        }
        else
        {
            pipe.Complete(exception);
        }

        pipe.UnflushedBytes.ShouldBe(0);
        (await pipe.FlushAsync()).IsCanceled.ShouldBeFalse();
        log.NextSequence.ShouldBe(fails ? 1 : 2);
    }

    [Fact]
    public async Task A_cancelled_flush_appends_nothing_and_the_next_one_all()
    {
        using TempFolder folder = new();
        HeldEngine engine = new();
        SluiceLogOptions options = new() { MaxRecordBytes = 1000, BufferBytes = 1, Engine = engine };
        using SluiceLog log = folder.Open(options);
        PipeWriter pipe = log.CreatePipeWriter(LogDurability.Buffered);
        engine.Hold();
        byte[] record = Records.Make(0, 0, 900);
        int appended = 0;
        ValueTask<FlushResult> flush;
        while ((flush = WriteAsync(CancellationToken.None)).IsCompleted)
        {
            (await flush).IsCanceled.ShouldBeFalse();
            (++appended).ShouldBeLessThan(10);
        }

        // All memory waits for a write that is held.
        pipe.CancelPendingFlush();
        (await flush).IsCanceled.ShouldBeTrue();
        pipe.UnflushedBytes.ShouldBe(record.Length);
        using CancellationTokenSource source = new();
        ValueTask<FlushResult> second = pipe.FlushAsync(source.Token);
        second.IsCompleted.ShouldBeFalse();
        await source.CancelAsync();
        OperationCanceledException e = await Should.ThrowAsync<OperationCanceledException>(async () => await second);
        e.CancellationToken.ShouldBe(source.Token);
        engine.Release();
        (await pipe.FlushAsync()).IsCanceled.ShouldBeFalse();
        log.Flush();
        folder.ReadAll().Count.ShouldBe(appended + 1);
        folder.ReadAll().ShouldAllBe(r => Enumerable.SequenceEqual(r.Item2, record));

        ValueTask<FlushResult> WriteAsync(CancellationToken token)
        {
            pipe.Write(record);
            return pipe.FlushAsync(token);
        }
    }

    [Fact]
    public async Task A_record_that_is_too_long_is_refused_and_the_next_one_is_a_record_of_its_own()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { MaxRecordBytes = 1000 });
        PipeWriter pipe = log.CreatePipeWriter();
        pipe.Write(new byte[1001]);
        await Should.ThrowAsync<ArgumentException>(async () => await pipe.FlushAsync());
        pipe.UnflushedBytes.ShouldBe(0);
        pipe.Write("next"u8);
        await pipe.FlushAsync();
        folder.ReadAll().Single().Bytes.ShouldBe("next"u8.ToArray());
    }

    [Fact]
    public async Task A_failed_flush_does_not_join_its_record_to_the_next_one()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { Engine = engine, FlushInterval = TimeSpan.FromHours(1) });
        PipeWriter pipe = log.CreatePipeWriter(LogDurability.Written);
        engine.WriteErrno = FailingEngine.ENOSPC;
        pipe.Write("lost"u8);
        await Should.ThrowAsync<IOException>(async () => await pipe.FlushAsync());
        engine.WriteErrno = 0;
        pipe.Write("next"u8);
        await pipe.FlushAsync();
        folder.ReadAll().Single().Bytes.ShouldBe("next"u8.ToArray());
    }

    [Fact]
    public async Task A_canceled_flush_keeps_its_record_apart_from_the_next_one()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open();
        PipeWriter pipe = log.CreatePipeWriter();
        pipe.Write("first"u8);
        pipe.CancelPendingFlush();
        (await pipe.FlushAsync()).IsCanceled.ShouldBeTrue();
        pipe.Write("second"u8);
        pipe.UnflushedBytes.ShouldBe(11);
        await pipe.FlushAsync();
        folder.ReadAll().Select(static r => Encoding.UTF8.GetString(r.Bytes)).ShouldBe(["first", "second"]);
    }
}
