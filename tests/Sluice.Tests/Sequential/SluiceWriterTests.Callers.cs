
namespace Sluice.Tests.Sequential;

/// <summary>What the caller's own code does: throws, cancels, keeps memory.</summary>
public sealed partial class SluiceWriterTests
{
    [Theory]
    [MemberData(nameof(Cases))]
    public async Task An_exception_of_the_progress_reaches_the_caller_and_loses_nothing(string engine, FileCaching caching)
    {
        byte[] content = Bytes.Pattern(90_000);
        byte[] others = Bytes.Pattern(90_000, 7);
        foreach (bool isAsync in (bool[])[false, true])
        {
            bool hasThrown = true;
            for (int count = 1; hasThrown; count++)
            {
                ThrowingProgress progress = new(count);
                string path = _temp.NewPath();
                string otherPath = _temp.NewPath();
                int thrown = 0;
                using (SluiceWriter other = Writer(otherPath, engine, caching, new SluiceWriterOptions { RequestSize = 16_384, Depth = 2 }))
                {
                    SluiceWriter writer = Writer(
                        path, engine, caching, new SluiceWriterOptions { RequestSize = 16_384, Depth = 2, Progress = progress });
                    while (writer.Position < content.Length)
                    {
                        int at = (int)writer.Position;
                        int otherAt = (int)other.Position;
                        other.Write(others.AsSpan(otherAt, Math.Min(5000, others.Length - otherAt)));
                        try
                        {
                            await WriteAsync(writer, content.AsMemory(at, Math.Min(5000, content.Length - at)), isAsync);
                        }
                        catch (InvalidTimeZoneException)
                        {
                            thrown++;
                        }
                    }

                    try
                    {
                        await (isAsync ? writer.DisposeAsync().AsTask() : Task.Run(writer.Dispose));
                    }
                    catch (InvalidTimeZoneException)
                    {
                        thrown++;
                    }

                    other.Write(others.AsSpan((int)other.Position));
                }

                hasThrown = progress.HasThrown;
                thrown.ShouldBe(hasThrown ? 1 : 0);
                File.ReadAllBytes(path).ShouldBeBytes(content, $"call {count}, async {isAsync}");
                File.ReadAllBytes(otherPath).ShouldBeBytes(others, $"another writer, call {count}, async {isAsync}");
            }
        }
    }

    [Fact]
    public void An_exception_of_the_progress_in_a_large_write_leaves_the_position_behind_what_was_written()
    {
        byte[] content = Bytes.Pattern(9 << 20);
        string path = _temp.NewPath();
        SluiceWriter writer = new(path, new SluiceWriterOptions { Progress = new ThrowingProgress(1) });
        Should.Throw<InvalidTimeZoneException>(() => writer.Write(content));
        writer.Position.ShouldBe(content.Length);
        writer.Write("more"u8);
        writer.Dispose();
        File.ReadAllBytes(path).ShouldBeBytes([.. content, .. "more"u8]);
    }

    [Fact]
    public async Task A_large_write_that_has_begun_is_not_cancelled()
    {
        byte[] content = Bytes.Pattern(3 << 20);
        string path = _temp.NewPath();
        using CancellationTokenSource source = new();
        await using (SluiceWriter writer = new(
            path, new SluiceWriterOptions { RequestSize = 256 * 1024, Engine = new CancellingEngine(source) }))
        {
            await writer.WriteAsync(content, source.Token);
            writer.Position.ShouldBe(content.Length);
            await Should.ThrowAsync<OperationCanceledException>(() => writer.WriteAsync(content, source.Token).AsTask());
            writer.Position.ShouldBe(content.Length);
        }

        File.ReadAllBytes(path).ShouldBeBytes(content);
    }

    /// <summary>Cancels when the first transfer is submitted, and cuts it.</summary>
    private sealed class CancellingEngine(CancellationTokenSource source) : InterceptingEngine
    {
        public override string Name => "cancelling";

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            source.Cancel();
            return submission.Length > 100_000 ? Interception.ShortenTo(100_000) : Interception.PassOn;
        }
    }

    [Fact]
    public void A_constructor_that_throws_leaves_the_handle_that_it_was_given_open()
    {
        using SluiceHandle handle = SluiceHandle.Open(_temp.NewPath(), FileMode.Create, FileAccess.Write);
        Should.Throw<ArgumentOutOfRangeException>(() => new SluiceWriter(handle, new SluiceWriterOptions { Depth = -1 }));
        if (OperatingSystem.IsLinux())
        {
            Should.Throw<IOException>(() => new SluiceWriter(handle, new SluiceWriterOptions { PreallocationSize = 1L << 50 }));
        }

        handle.Write("still open"u8, 0);
        handle.Length.ShouldBe(10);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void Memory_that_was_lent_is_nobody_elses_after_Dispose(string engine, FileCaching caching)
    {
        // In the second case, one byte of the block is lent.
        foreach (int written in (int[])[3, 4095])
        {
            string path = _temp.NewPath();
            byte[] content = Bytes.Pattern(written);
            SluiceWriter writer = Writer(path, engine, caching, new SluiceWriterOptions { RequestSize = 4096 });
            writer.Write(content);
            Memory<byte> lent = writer.GetMemory();
            writer.Dispose();
            File.ReadAllBytes(path).ShouldBeBytes(content);
            Should.Throw<ObjectDisposedException>(() => writer.Advance(1));
            string otherPath = _temp.NewPath();
            byte[] others = Bytes.Pattern(4000, 3);
            using (SluiceWriter other = Writer(otherPath, engine, caching, new SluiceWriterOptions { RequestSize = 4096 }))
            {
                lent.Span.Overlaps(other.GetMemory().Span).ShouldBeFalse();
                other.Write(others);
                lent.Span.Fill(0xEE);
            }

            File.ReadAllBytes(otherPath).ShouldBeBytes(others);
        }
    }

    [Fact]
    public void Memory_that_was_lent_before_another_call_cannot_be_advanced_over()
    {
        string path = _temp.NewPath();
        using (SluiceWriter writer = new(path))
        {
            _ = writer.GetMemory();
            writer.Write("abc"u8);
            Should.Throw<ArgumentOutOfRangeException>(() => writer.Advance(1));
        }

        File.ReadAllBytes(path).ShouldBe("abc"u8.ToArray());
    }

    [SkippableFact]
    public void A_new_file_has_the_mode_that_was_asked_for()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows has no such mode");
        const UnixFileMode Mode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        string path = _temp.NewPath();
        new SluiceWriter(path, new SluiceWriterOptions { UnixCreateMode = Mode }).Dispose();
#pragma warning disable CA1416 // Skipped on Windows.
        File.GetUnixFileMode(path).ShouldBe(Mode);
#pragma warning restore CA1416
    }
}
