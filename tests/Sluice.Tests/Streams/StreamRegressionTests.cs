using Sluice.Testing;

namespace Sluice.Tests.Streams;

/// <summary>Errors of reads ahead, and what a flush costs; the number is that of the issue in dotnet/runtime about FileStream.</summary>
public sealed class StreamRegressionTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>What was read ahead, failed and is not wanted any more is nobody's error, and no read loses its bytes to it.</summary>
    [Fact]
    public async Task What_an_abandoned_read_ahead_failed_with_is_no_other_reads_error()
    {
        byte[] content = Bytes.Pattern(1_000_000);
        AheadEngine engine = new();
        await using SluiceStream stream = new(_temp.NewFile(content), new SluiceOptions { Engine = engine });
        byte[] buffer = new byte[100];
        engine.IsFailing = true;
        int offset = 0;
        for (; offset < 600_000 && engine.Failed == 0; offset += 100)
        {
            await ReadAsync(offset);
        }

        engine.Failed.ShouldBeGreaterThan(0, "nothing was read ahead");
        engine.IsFailing = false;
        stream.Position = 100_000;
        for (int at = 100_000; at < 900_000; at += 100)
        {
            await ReadAsync(at);
        }

        async Task ReadAsync(int at)
        {
            engine.Reading = at;
            (await stream.ReadAsync(buffer)).ShouldBe(100);
            buffer.ShouldBeBytes(content.AsSpan(at, 100), $"at {at}");
            stream.Position.ShouldBe(at + 100);
        }
    }

    /// <summary>Throws for what is read ahead, where it is to, when the read is under way already.</summary>
    private sealed class AheadEngine : InterceptingEngine
    {
        public override string Name => "ahead";

        public long Reading { get; set; }

        public bool IsFailing { get; set; }

        public int Failed { get; private set; }

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (IsFailing && submission.FileOffset >= Reading + 100)
            {
                Failed++;
                throw new InvalidOperationException("ahead");
            }

            return Interception.HoldUntil(static async () => await Task.Yield());
        }
    }

    /// <summary>dotnet/runtime 57100: with nothing to flush it is done when it returns, and writes nothing.</summary>
    [Theory]
    [InlineData(SluiceOptions.Adaptive)]
    [InlineData(0)]
    [InlineData(4096)]
    public async Task FlushAsync_with_nothing_written_is_done_at_once_57100(int bufferSize)
    {
        FaultyEngine engine = new(new FaultPlan(1));
        await using SluiceStream stream = new(_temp.NewFile(100), new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            BufferSize = bufferSize,
            Options = FileOptions.Asynchronous,
            Engine = engine,
        });
        long before = engine.OperationCount;
        for (int i = 0; i < 10; i++)
        {
            Task flush = stream.FlushAsync();
            flush.IsCompletedSuccessfully.ShouldBeTrue();
            await flush;
        }

        engine.OperationCount.ShouldBe(before);
    }

    /// <summary>dotnet/runtime 57100: what there is to flush costs one write, and nothing is made durable.</summary>
    [Theory]
    [InlineData(SluiceOptions.Adaptive)]
    [InlineData(4096)]
    public async Task FlushAsync_costs_one_write_57100(int bufferSize)
    {
        RecordingEngine engine = new();
        await using SluiceStream stream = new(_temp.NewFile(100), new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            BufferSize = bufferSize,
            Options = FileOptions.Asynchronous,
            Engine = engine,
        });
        for (int i = 0; i < 10; i++)
        {
            await stream.WriteAsync(Bytes.Pattern(7, i * 7));
            await stream.FlushAsync();
        }

        engine.Transfers.ShouldBe(Enumerable.Range(0, 10).Select(i => (false, i * 7L, 7)));
    }
}
