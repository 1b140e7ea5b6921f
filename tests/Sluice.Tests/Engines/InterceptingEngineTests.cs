namespace Sluice.Tests.Engines;

/// <summary>The public way to stand before an engine.</summary>
public sealed class InterceptingEngineTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public async Task Sees_each_transfer_with_its_direction_place_and_length()
    {
        Recorder engine = new(static (in IoSubmission _) => Interception.PassOn);
        using SluiceHandle file = Open(engine);
        await file.WriteAsync(new byte[100], 10);
        file.Read(new byte[50], 20).ShouldBe(50);
        await file.FlushToDiskAsync();
        engine.Seen.ShouldBe(
            [new IoSubmission(false, true, 10, 100), new IoSubmission(true, false, 20, 50), engine.Seen[^1]]);
        (engine.Seen[^1].IsRead || engine.Seen[^1].IsWrite).ShouldBeFalse();
    }

    /// <summary>Where the operating system said so, another way would be tried, or there would be nothing to flush.</summary>
    [Theory]
    [InlineData(22, FileCaching.Direct)]
    [InlineData(95, FileCaching.Uncached)]
    [InlineData(14, FileCaching.Cached)]
    [InlineData(30, FileCaching.Cached)]
    [InlineData(125, FileCaching.Cached)]
    public async Task What_it_fails_with_is_the_callers_whatever_it_would_mean(int errno, FileCaching caching)
    {
        Recorder engine = new((in IoSubmission _) => Interception.Fail(errno));
        using SluiceHandle file = Open(engine, caching);
        FileCaching before = file.Caching;
        byte[] block = new byte[4096];
        Func<Task>[] calls =
        [
            () => file.WriteAsync(block, 0).AsTask(),
            () => Task.Run(() => file.Write(block, 0)),
            () => file.ReadAsync(block, long.MaxValue - 8191).AsTask(),
            () => Task.Run(() => file.Read(block, 0)),
            () => file.FlushToDiskAsync().AsTask(),
            () => Task.Run(file.FlushDataToDisk),
        ];
        foreach (Func<Task> call in calls)
        {
            (await Should.ThrowAsync<IOException>(call)).HResult.ShouldBe(errno);
        }

        engine.Seen.Count.ShouldBe(calls.Length);
        file.Caching.ShouldBe(before);
        file.Length.ShouldBe(0);
    }

    [Fact]
    public async Task Shortens_and_the_rest_follows()
    {
        Recorder engine = new(static (in IoSubmission s) => s.Length > 30 ? Interception.ShortenTo(30) : Interception.PassOn);
        using SluiceHandle file = Open(engine);
        await file.WriteAsync(Bytes.Pattern(100), 0);
        engine.Seen.Select(s => s.FileOffset).ShouldBe([0, 30, 60, 90]);
        File.ReadAllBytes(file.Path).ShouldBe(Bytes.Pattern(100));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_long_transfer_that_is_cancelled_in_its_midst_ends_there(bool isWrite)
    {
        const int length = 24 << 20;
        using CancellationTokenSource stop = new();
        Recorder engine = new((in IoSubmission _) => Interception.HoldUntil(() =>
        {
            // A part has been made.
            stop.Cancel();
            return Task.CompletedTask;
        }));
        using SluiceHandle file = Open(engine);
        if (!isWrite)
        {
            file.SetLength(length);
        }

        byte[] buffer = new byte[length];
        Task transfer = isWrite ? file.WriteAsync(buffer, 0, stop.Token).AsTask() : file.ReadAsync(buffer, 0, stop.Token).AsTask();
        OperationCanceledException error = await Should.ThrowAsync<OperationCanceledException>(() => transfer);
        error.CancellationToken.ShouldBe(stop.Token);
        engine.Seen.Sum(s => (long)s.Length).ShouldBeLessThan(length);
    }

    [Fact]
    public async Task Holds_a_completion_back_until_the_task_ends()
    {
        TaskCompletionSource reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource hold = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using SluiceHandle file = Open(new Recorder((in IoSubmission _) => Interception.HoldUntil(() =>
        {
            reached.SetResult();
            return hold.Task;
        })));
        Task write = file.WriteAsync(new byte[5], 0).AsTask();
        await reached.Task;
        file.Length.ShouldBe(5);
        write.IsCompleted.ShouldBeFalse();
        hold.SetResult();
        await write;
    }

    [Fact]
    public async Task A_hold_that_throws_or_fails_loses_no_completion()
    {
        using SluiceHandle file = Open(new Recorder(static (in IoSubmission s) => Interception.HoldUntil(
            s.IsRead ? static () => Task.FromException(new InvalidOperationException()) : static () =>
                throw new InvalidOperationException())));
        await file.WriteAsync(new byte[5], 0);
        (await file.ReadAsync(new byte[5], 0)).ShouldBe(5);
    }

    [Fact]
    public async Task What_it_throws_is_the_callers_and_nothing_is_kept()
    {
        bool throws = true;
        using SluiceHandle file = Open(new Recorder((in IoSubmission _) => throws ? throw new IOException("mine") : Interception.PassOn));
        (await Should.ThrowAsync<IOException>(async () => await file.WriteAsync(new byte[5], 0))).Message.ShouldContain("mine");
        throws = false;
        await file.WriteAsync(new byte[5], 0);
        file.Length.ShouldBe(5);
    }

    [Fact]
    public void Two_do_not_nest() =>
        Should.Throw<ArgumentException>(() => new Recorder(
            static (in IoSubmission _) => Interception.PassOn, new Recorder(static (in IoSubmission _) => Interception.PassOn)));

    private SluiceHandle Open(IoEngine engine, FileCaching caching = FileCaching.Cached) =>
        SluiceHandle.Open(_temp.NewPath(), new SluiceOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Engine = engine,
            Caching = caching,
        });

    private delegate Interception Decision(in IoSubmission submission);

    private sealed class Recorder(Decision decide, IoEngine? inner = null) : InterceptingEngine(inner)
    {
        public List<IoSubmission> Seen { get; } = [];

        public override string Name => "recorder";

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            lock (Seen)
            {
                Seen.Add(submission);
            }

            return decide(submission);
        }
    }
}
