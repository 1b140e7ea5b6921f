namespace Sluice.Tests.Files;

/// <summary>Nothing of a call stays on a token that lives as long as the process.</summary>
[Trait("Tier", "slow")]
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
        for (int i = 0; i < 20 && least >= Rounds * 50; i++)
        {
            // Other threads of this process make and drop objects meanwhile, now and then; what stays on the token does so every time.
            long before = GC.GetTotalMemory(forceFullCollection: true);
            await RunAsync(Rounds, path, source.Token);
            least = Math.Min(least, GC.GetTotalMemory(forceFullCollection: true) - before);
        }

        // A registration is at least 100 bytes.
        least.ShouldBeLessThan(Rounds * 50);
    }

    [SkippableFact]
    public async Task Nothing_stays_open_of_a_batch()
    {
        Skip.IfNot(Directory.Exists("/proc/self/fd"), "there is no list of what is open");
        List<string> paths = [];
        for (int i = 0; i < 4; i++)
        {
            string folder = Directory.CreateDirectory(_temp.NewPath()).FullName;
            for (int k = 0; k < 40; k++)
            {
                string path = Path.Combine(folder, $"{k}");
                File.WriteAllBytes(path, Bytes.Pattern(1 + (k * 20), k));
                paths.Add(path);
            }
        }

        await foreach (FileReadResult result in SluiceFile.ReadManyAsync(paths))
        {
            result.GetContent().ShouldNotBeEmpty();
        }

        await SluiceFile.WriteManyAsync(paths.Select(path => (path, (ReadOnlyMemory<byte>)new byte[7])));
        Directory.GetFileSystemEntries("/proc/self/fd").Select(LinkOf)
            .Where(link => link.StartsWith(_temp.Root, StringComparison.Ordinal)).ShouldBeEmpty();
    }

    private static string LinkOf(string descriptor)
    {
        try
        {
            return new FileInfo(descriptor).LinkTarget ?? "";
        }
        catch (IOException)
        {
            // Closed meanwhile.
            return "";
        }
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
