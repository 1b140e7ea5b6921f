namespace Sluice.Tests.Streams;

/// <summary>What a write that is cancelled leaves in the file, and where the stream stands then.</summary>
public sealed class StreamCancellationTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<int, FileCaching> Openings
    {
        get
        {
            TheoryData<int, FileCaching> data = [];
            foreach (int bufferSize in (int[])[SluiceOptions.Adaptive, 0, 4096])
            {
                foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Uncached, FileCaching.Direct])
                {
                    data.Add(bufferSize, caching);
                }
            }

            return data;
        }
    }

    public void Dispose() => _temp.Dispose();

    /// <summary>A write is all or nothing, at whatever moment the token is cancelled.</summary>
    [Theory]
    [MemberData(nameof(Openings))]
    public async Task A_cancelled_write_leaves_nothing_behind_the_position(int bufferSize, FileCaching caching)
    {
        Random random = new(bufferSize);
        for (int i = 0; i < 2; i++)
        {
            string path = _temp.NewPath();
            using MemoryStream expected = new();
            await using (SluiceStream stream = new(path, new SluiceOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.ReadWrite,
                BufferSize = bufferSize,
                Caching = caching,
            }))
            {
                for (int k = 0; k < 4; k++)
                {
                    byte[] bytes = new byte[random.Next(1, k % 2 == 0 ? 50_000 : 700_000)];
                    random.NextBytes(bytes);
                    using CancellationTokenSource source = new();
                    ValueTask write = stream.WriteAsync(bytes, k % 2 == 0 ? default : source.Token);
                    await source.CancelAsync();
                    try
                    {
                        await write;
                        expected.Write(bytes);
                    }
                    catch (OperationCanceledException)
                    {
                        k.ShouldBeOneOf(1, 3);
                    }

                    stream.Position.ShouldBe(expected.Length);
                }
            }

            (await File.ReadAllBytesAsync(path)).ShouldBeBytes(expected.ToArray());
        }
    }
}
