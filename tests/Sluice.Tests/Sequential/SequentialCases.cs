using Sluice.Testing;

namespace Sluice.Tests.Sequential;

/// <summary>The configurations that sequential readers and writers are tested in: each engine and each caching at least once.</summary>
internal static class SequentialCases
{
    public static TheoryData<string, FileCaching> All
    {
        get
        {
            TheoryData<string, FileCaching> data = [];
            foreach ((string engine, FileCaching caching) in Each)
            {
                data.Add(engine, caching);
            }

            return data;
        }
    }

    public static (string Engine, FileCaching Caching)[] Each { get; } =
    [
        ("own", FileCaching.Cached), ("own", FileCaching.Uncached), ("own", FileCaching.Direct), ("faulty", FileCaching.Direct),
        .. TestedEngines.AreThePool ? ((string, FileCaching)[])[] : [("pool", FileCaching.Cached)],
    ];

    /// <summary>Null stands for the process's own engine, with rings of the readers' and writers' own.</summary>
    public static IoEngine? Engine(string name) => name switch
    {
        "own" => null,
        "pool" => SluiceEngines.Pool,
        _ => new FaultyEngine(Model.ModelProgram.HarmlessFaults(name.Length * 17)),
    };

    /// <summary>The next block; empty at the end of the file.</summary>
    public static ReadOnlySpan<byte> BlockOrEmpty(this SluiceReader reader) =>
        reader.TryReadBlock(out ReadOnlySpan<byte> block) ? block : default;

    public static SluiceReader Reader(
        string path, string engine, FileCaching caching, int requestSize = 0, int depth = 0, long offset = 0,
        IProgress<long>? progress = null) =>
        new(path, new SluiceReaderOptions
        {
            Engine = Engine(engine),
            Caching = caching,
            RequestSize = requestSize,
            Depth = depth,
            Offset = offset,
            Share = FileShare.ReadWrite | FileShare.Delete,
            Progress = progress,
        });
}
