namespace Sluice.Hostile.Tests.Storms;

/// <summary>The storms by name.</summary>
internal static class Storm
{
    public static readonly string[] Names = ["handle", "append", "stream", "reader", "writer", "log"];

    /// <summary>One round, and the accounts behind it. A failure names the seed.</summary>
    /// <returns>As <see cref="StormRound.Struck"/>.</returns>
    public static async Task<int> RunAsync(TempFolder temp, string name, string engine, FileCaching caching, int seed)
    {
        string what = $"{name} {engine} {caching}, seed {seed}";
        Accounts accounts = Accounts.Open(temp.Root);
        string untouched = temp.NewFile(5000);
        StormRound round = new(temp, seed);
        await Watchdog.EndsAsync(
            () =>
            {
                IoEngine? chosen = engine == "own" ? null : new HeldEngine();
                switch (name)
                {
                    case "handle":
                        HandleStorm.Run(round, caching, chosen);
                        break;
                    case "append":
                        AppendStorm.Run(round, caching, chosen);
                        break;
                    case "stream":
                        StreamStorm.Run(round, caching, chosen);
                        break;
                    case "reader":
                        ReaderStorm.Run(round, caching, chosen);
                        break;
                    case "writer":
                        WriterStorm.Run(round, caching, chosen);
                        break;
                    case "log":
                        LogStorm.Run(round, chosen);
                        break;
                    default:
                        throw new ArgumentOutOfRangeException(nameof(name), name, "There is no such storm.");
                }

                return Task.CompletedTask;
            },
            what);
        await accounts.CloseAsync(what);
        File.ReadAllBytes(untouched).ShouldBeBytes(Bytes.Pattern(5000), $"{what}: a file that nobody used");
        File.Delete(untouched);
        Directory.GetFileSystemEntries(temp.Root).ShouldBeEmpty($"{what}: files that were left");
        return round.Struck;
    }
}
