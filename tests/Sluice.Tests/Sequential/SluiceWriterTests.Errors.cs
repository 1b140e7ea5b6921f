using Sluice.Testing;

namespace Sluice.Tests.Sequential;

// What failed, and what the file then has.
public sealed partial class SluiceWriterTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_error_tells_its_offset_is_final_and_leaves_no_gap(bool isAsync)
    {
        foreach (int failing in (int[])[1, 4, 9])
        {
            string path = _temp.NewPath();
            byte[] content = Bytes.Pattern(200_000);
            SluiceWriter writer = new(path, new SluiceWriterOptions
            {
                Caching = FileCaching.Direct,
                Engine = new FaultyEngine(new FaultPlan(1).FailAt(failing, FaultKind.DeviceError)),
                RequestSize = 4096,
                Depth = 3,
            });
            IOException error = await Should.ThrowAsync<IOException>(async () =>
            {
                for (int at = 0; at < content.Length; at += 1000)
                {
                    await WriteAsync(writer, content.AsMemory(at, 1000), isAsync);
                }
            });
            error.Message.ShouldContain("at offset ");
            int offset = int.Parse(error.Message.Split("at offset ")[1].Split(' ')[0]);
            Should.Throw<IOException>(() => writer.Write([1])).Message.ShouldBe(error.Message);
            Should.Throw<IOException>(() => writer.Flush()).Message.ShouldBe(error.Message);
            writer.Dispose();
            File.ReadAllBytes(path).ShouldBeBytes(content.AsSpan(0, offset));
        }
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_was_flushed_stays_when_the_block_that_it_lies_in_fails_later(bool isAsync)
    {
        byte[] content = Bytes.Pattern(100_000);
        string path = _temp.NewPath();
        SluiceWriter writer = new(path, new SluiceWriterOptions
        {
            Caching = FileCaching.Direct,
            Engine = new FaultyEngine(new FaultPlan(1).FailAt(2, FaultKind.DeviceError).FailAt(3, FaultKind.DeviceError)),
            RequestSize = 8192,
            Depth = 2,
        });

        if (writer.SluiceHandle.Caching != FileCaching.Direct)
        {
            await writer.DisposeAsync();
            Skip.If(true, "the faults are counted for direct writes");
        }

        // Ends within a page, whose rest makes the next block write it again.
        await WriteAsync(writer, content.AsMemory(0, 5001), isAsync);
        await writer.FlushAsync();
        IOException? error = null;
        try
        {
            await WriteAsync(writer, content.AsMemory(5001, 60_000), isAsync);
            await writer.FlushAsync();
        }
        catch (IOException e)
        {
            error = e;
        }

        error.ShouldNotBeNull();
        await writer.DisposeAsync();
        byte[] left = File.ReadAllBytes(path);
        left.Length.ShouldBeGreaterThanOrEqualTo(5001);
        left.ShouldBeBytes(content.AsSpan(0, left.Length));
    }

    /// <summary>The system tells such an error once, and the next flush would find nothing wrong.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task An_error_of_the_device_while_it_is_flushed_to_is_final(bool isAsync, bool atTheEnd)
    {
        string path = _temp.NewPath();
        FailingFlush engine = new();
        byte[] content = Bytes.Pattern(10_000);
        SluiceWriter writer = new(path, new SluiceWriterOptions { Engine = engine, FlushToDisk = true });
        writer.Write(content);
        IOException error = await Should.ThrowAsync<IOException>(FlushAsync);
        (await Should.ThrowAsync<IOException>(FlushAsync)).Message.ShouldBe(error.Message);
        Should.Throw<IOException>(() => writer.Write([1])).Message.ShouldBe(error.Message);
        await writer.DisposeAsync();
        engine.Flushes.ShouldBe(1);
        File.ReadAllBytes(path).ShouldBeBytes(content);

        async Task FlushAsync()
        {
            switch (isAsync, atTheEnd)
            {
                case (false, false):
                    writer.Flush(flushToDisk: true);
                    break;
                case (false, true):
                    writer.Complete();
                    break;
                case (true, false):
                    await writer.FlushAsync(flushToDisk: true);
                    break;
                default:
                    await writer.CompleteAsync();
                    break;
            }
        }
    }

    /// <summary>The first flush of the device fails.</summary>
    private sealed class FailingFlush : InterceptingEngine
    {
        public int Flushes { get; private set; }

        public override string Name => "failing";

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            bool isFirst = !submission.IsRead && !submission.IsWrite && ++Flushes == 1;
            return isFirst ? Interception.Fail(5) : Interception.PassOn;
        }
    }

    [Fact]
    public void An_error_at_the_end_is_thrown_by_Dispose()
    {
        string path = _temp.NewPath();
        SluiceWriter writer = new(path, new SluiceWriterOptions
        {
            Caching = FileCaching.Direct,
            Engine = new FaultyEngine(new FaultPlan(1).FailAt(0, FaultKind.DeviceError)),
        });
        writer.Write(Bytes.Pattern(100));
        Should.Throw<IOException>(writer.Dispose);
        writer.Dispose();
        writer.SluiceHandle.SafeFileHandle.IsClosed.ShouldBeTrue();
        Should.Throw<ObjectDisposedException>(() => writer.Write([1]));
    }

    [Fact]
    public void Options_out_of_range_are_refused_and_the_file_is_closed()
    {
        string path = _temp.NewFile(10);
        foreach (SluiceWriterOptions options in (SluiceWriterOptions[])
            [new() { Offset = -1 }, new() { Depth = 129 }, new() { RequestSize = -1 }, new() { PreallocationSize = -1 }])
        {
            Should.Throw<ArgumentOutOfRangeException>(() => new SluiceWriter(path, options));
        }

        if (OperatingSystem.IsLinux())
        {
            Should.Throw<IOException>(() => new SluiceWriter(path, new SluiceWriterOptions { PreallocationSize = 1L << 50 }));
        }

        using SluiceHandle reader = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.None);
        Should.Throw<ArgumentException>(() => new SluiceWriter(reader));
    }
}
