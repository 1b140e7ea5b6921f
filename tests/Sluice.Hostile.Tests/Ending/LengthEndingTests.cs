namespace Sluice.Hostile.Tests.Ending;

/// <summary>Length and position of a stream whose last bytes another thread is just writing, since it closes the stream.</summary>
[Trait("Tier", "slow")]
public sealed class LengthEndingTests : HostileTests
{
    private const int Rounds = 1000;
    private const int Bytes = 100;
    private const int LooksPerTurn = 100;

    [Theory]
    [InlineData(true, true)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(false, false)]
    public async Task What_was_accepted_counts_until_the_stream_is_closed(bool asksForLength, bool isAsync)
    {
        string path = Temp.NewPath();
        for (int i = 0; i < Rounds; i++)
        {
            SluiceStream stream = new(path, FileMode.Create);
            stream.Write(new byte[Bytes]);
            using Barrier begin = new(2);
            Task closing = Task.Run(async () =>
            {
                begin.SignalAndWait();
                if (isAsync)
                {
                    await stream.DisposeAsync();
                }
                else
                {
                    stream.Dispose();
                }
            });
            begin.SignalAndWait();
            try
            {
                for (int looks = 1; ; looks++)
                {
                    if (looks % LooksPerTurn == 0)
                    {
                        // Where processors are busy, whoever closes waits for this thread's.
                        _ = Thread.Yield();
                    }

                    (asksForLength ? stream.Length : stream.Position).ShouldBe(Bytes, $"round {i}");
                }
            }
            catch (ObjectDisposedException)
            {
            }

            await Watchdog.EndsAsync(() => closing, $"round {i}");
        }
    }
}
