using Sluice.Streams;

namespace Sluice.Tests.Streams;

/// <summary>What a stream has read ahead, when the file has changed meanwhile, or the stream is closed.</summary>
[Collection(AloneCollection.Name)]
public sealed class StreamReadAheadTests : AccountedTests, IDisposable
{
    /// <summary>Enough for reading ahead, in Release builds too.</summary>
    private const int Length = 4 << 20;

    /// <summary>Windows are no larger, and what is read ahead is.</summary>
    private const int MaxWindow = AdaptiveSize.MaxRead;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>A neighbour cuts the file there before it is read ahead, and goes on with it before the stream comes there.</summary>
    [Fact]
    public async Task An_end_that_was_read_ahead_is_looked_at_again()
    {
        byte[] content = Bytes.Pattern(Length);
        string path = _temp.NewFile(content);
        using FileStream neighbour = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, 0);
        TaskCompletionSource wasRead = new(TaskCreationOptions.RunContinuationsAsynchronously);
        AheadEngine engine = new(
            neighbour.SetLength,
            () =>
            {
                wasRead.TrySetResult();
                return Task.CompletedTask;
            });
        await using SluiceStream stream = new(path, new SluiceOptions { Share = FileShare.ReadWrite, Engine = engine });
        byte[] read = new byte[Length];
        int done = await ReadUpToAheadAsync(stream, engine, read);
        await wasRead.Task.WaitAsync(Patience);
        neighbour.Position = done;
        neighbour.Write(content.AsSpan(done));
        await stream.ReadExactlyAsync(read.AsMemory(done));
        read.ShouldBeBytes(content);
        (await stream.ReadAsync(new byte[1])).ShouldBe(0);
    }

    /// <summary>That read waits for the first chunk; the others, which nobody asks for, come back too.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_is_read_ahead_of_a_read_that_the_stream_is_closed_around_is_given_back(bool ownsHandle)
    {
        int rented = Rented();
        TaskCompletionSource mayEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
        AheadEngine engine = new(static _ => { }, () => mayEnd.Task);
        using SluiceHandle handle = SluiceHandle.Open(
            _temp.NewFile(Length), new SluiceOptions { Caching = FileCaching.Direct, Engine = engine });
        Skip.If(handle.Caching != FileCaching.Direct, "no direct transfers here");
        SluiceStream stream = new(handle, FileAccess.Read, ownsHandle: ownsHandle);
        byte[] read = new byte[Length];
        int done = await ReadUpToAheadAsync(stream, engine, read);
        Task<int> last = stream.ReadAsync(read.AsMemory(done, 100)).AsTask();
        await Task.Run(stream.Dispose).WaitAsync(Patience);
        last.IsCompleted.ShouldBeFalse();
        mayEnd.SetResult();
        _ = await Record.ExceptionAsync(() => last.WaitAsync(Patience));
        ShouldHaveGivenBack(rented);
    }

    /// <summary>Reads up to where the first chunk begins that is read ahead; how far that is.</summary>
    private static async Task<int> ReadUpToAheadAsync(SluiceStream stream, AheadEngine engine, byte[] read)
    {
        int done = 0;
        while (engine.Begin < 0 || done < engine.Begin)
        {
            int count = engine.Begin < 0 ? 100 : (int)Math.Min(100, engine.Begin - done);
            await stream.ReadExactlyAsync(read.AsMemory(done, count));
            done += count;
            done.ShouldBeLessThan(Length, "nothing is read ahead");
        }

        return done;
    }

    /// <summary>Knows what is read ahead by its size.</summary>
    /// <param name="begins">Called with the offset where reading ahead begins, before it does.</param>
    /// <param name="until">What the end of each such read waits for.</param>
    private sealed class AheadEngine(Action<long> begins, Func<Task> until) : InterceptingEngine
    {
        private long _begin = -1;

        /// <summary>Where reading ahead began; -1 before.</summary>
        public long Begin => Volatile.Read(ref _begin);

        public override string Name => $"ahead {Inner.Name}";

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            if (!submission.IsRead || submission.Length <= MaxWindow)
            {
                return Interception.PassOn;
            }

            if (Interlocked.CompareExchange(ref _begin, submission.FileOffset, -1) == -1)
            {
                begins(submission.FileOffset);
            }

            return Interception.HoldUntil(until);
        }
    }
}
