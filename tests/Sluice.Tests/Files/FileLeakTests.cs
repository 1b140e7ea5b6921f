namespace Sluice.Tests.Files;

/// <summary>Nothing of a call stays on a token that lives as long as the process.</summary>
[Collection(AloneCollection.Name)]
public sealed class FileLeakTests : IDisposable
{
    private const int Rounds = 4000;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public async Task Nothing_stays_on_a_long_lived_token()
    {
        using CancellationTokenSource source = new();
        string path = _temp.NewFile("one\ntwo"u8);
        await RunAsync(500, path, source.Token);
        long least = long.MaxValue;
        for (int i = 0; i < 5 && least >= Rounds * 50; i++)
        {
            // Other threads of this process make and drop objects meanwhile, now and then; what stays on the token does so every time.
            long before = GC.GetTotalMemory(forceFullCollection: true);
            await RunAsync(Rounds, path, source.Token);
            least = Math.Min(least, GC.GetTotalMemory(forceFullCollection: true) - before);
        }

        // A registration is at least 100 bytes.
        least.ShouldBeLessThan(Rounds * 50);
    }

    private async Task RunAsync(int rounds, string path, CancellationToken token)
    {
        for (int i = 0; i < rounds; i++)
        {
            _ = await SluiceFile.ReadAllTextAsync(path, token);
            _ = await SluiceFile.ReadAllBytesAsync(path, token);
            await foreach (string _ in SluiceFile.ReadLinesAsync(path, token))
            {
                break;
            }

            await foreach (FileReadResult _ in SluiceFile.ReadManyAsync([path, path], null, token))
            {
                break;
            }

            await SluiceFile.WriteManyAsync([(path, "one\ntwo"u8.ToArray())], null, token);
            await foreach (FileEntry _ in SluiceFile.EnumerateFileEntriesAsync(_temp.Root, "*", null, token).WithCancellation(token))
            {
                break;
            }
        }
    }
}
