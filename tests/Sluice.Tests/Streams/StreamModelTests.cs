using Xunit.Abstractions;

namespace Sluice.Tests.Streams;

/// <summary>
/// Random operations on a FileStream and a SluiceStream over twin files: equal results, positions, lengths, exceptions and bytes, for
/// every mode x access x buffer size x sync/async. SLUICE_STREAM_MODEL_STEPS sets how many in all (20,000), SLUICE_STREAM_MODEL_SEED
/// the seed; a failure prints it and the shrunk case, which <c>Sluice.Tests stream-case</c> brings about again.
/// </summary>
public sealed class StreamModelTests(ITestOutputHelper output) : IDisposable
{
    private static readonly long Steps = Setting("SLUICE_STREAM_MODEL_STEPS", 20_000);
    private static readonly long Seed = Setting("SLUICE_STREAM_MODEL_SEED", 20_261_121);

    private readonly TempFolder _temp = new();

    /// <summary>Engine, caching, and the share of the steps in percent.</summary>
    public static TheoryData<string, FileCaching, int> Shares
    {
        get
        {
            TheoryData<string, FileCaching, int> shares = new()
            {
                { "own", FileCaching.Cached, 30 },
                { "own", FileCaching.Uncached, 10 },
                { "own", FileCaching.Direct, 12 },
                { "as-file-stream", FileCaching.Cached, 8 },
                { "as-file-stream", FileCaching.Direct, 4 },
                { "faulty", FileCaching.Cached, 2 },
                { "faulty", FileCaching.Direct, 2 },
            };
            if (!TestedEngines.AreThePool)
            {
                shares.Add("plugged", FileCaching.Cached, 10);
                shares.Add("plugged", FileCaching.Direct, 8);
                shares.Add("pool", FileCaching.Cached, 10);
                shares.Add("pool", FileCaching.Uncached, 8);
                shares.Add("pool", FileCaching.Direct, 8);
            }

            return shares;
        }
    }

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(Shares))]
    public void Random_operations_agree_with_FileStream(string engine, FileCaching caching, int percent)
    {
        output.WriteLine($"SLUICE_STREAM_MODEL_SEED={Seed}");
        long steps = Steps * percent / 100;
        (long taken, int wrong) = StreamModel.Run(_temp, [.. StreamConfiguration.All(engine, caching)], steps, Seed + percent);
        output.WriteLine($"{wrong} cases in which FileStream gave bytes that are not in the file");
        taken.ShouldBeGreaterThanOrEqualTo(steps);
    }

    [Fact]
    public void A_case_is_read_back_from_its_text()
    {
        const string text = "OpenOrCreate,ReadWrite,Read,-1,async,pool,Direct:300:Write/3/-7/2/1 Dispose/0/0/1/0";
        StreamCase.Parse(text).ToString().ShouldBe(text);
    }

    private static long Setting(string name, long standard) =>
        long.TryParse(Environment.GetEnvironmentVariable(name), out long value) ? value : standard;
}
