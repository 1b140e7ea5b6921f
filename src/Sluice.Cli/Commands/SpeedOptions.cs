using System.CommandLine;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Commands;

internal enum CreateMode { None, Extend, Preallocate }

internal enum EngineChoice { Sluice, Bcl, Both }

/// <summary>The validated arguments of the `speed` command.</summary>
internal sealed record SpeedOptions(string Path)
{
    private const int MaxOutstanding = 4096;
    private const double MaxRate = 1e8;
    private const long MaxRequestSizeBytes = ByteSize.GiB;

    private const int SeedStep = 7919;

    public const long DefaultFileSizeBytes = ByteSize.GiB;

    private static readonly TimeSpan DefaultWait = TimeSpan.FromMinutes(5);

    /// <summary>Further files over which requests are spread.</summary>
    public IReadOnlyList<string> Others { get; init; } = [];

    public IReadOnlyList<string> Paths => [Path, .. Others];

    public double? Zipf { get; init; }

    public int? FlushEvery { get; init; }

    public bool Verify { get; init; }

    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(30);

    public int RequestSizeBytes { get; init; } = (int)(64 * ByteSize.KiB);

    /// <summary>The size on the command line, in bytes; null if there is none.</summary>
    public long? SizeBytes { get; init; }

    public double WriteShare { get; init; }

    public MixRatio? Mix { get; init; }

    public int? Outstanding { get; init; }

    public CacheMode Cache { get; init; }

    public double SeekPercent { get; init; }

    public CreateMode Create { get; init; }

    public bool TouchEveryByte { get; init; }

    public bool Quiet { get; init; }

    public EngineChoice Engine { get; init; }

    public double? OperationsPerSecond { get; init; }

    public TimeSpan? WarmUp { get; init; }

    public PageOutput Output { get; init; } = new();

    public bool Metrics { get; init; }

    public bool Force { get; init; }

    public bool DestroysDeviceData { get; init; }

    public int Seed { get; init; } = 1;

    /// <summary>The number of this process among several that start together; null if there is only one.</summary>
    public Shard? Shard { get; init; }

    /// <summary>The folder through which the processes find each other; null if there is only one.</summary>
    public string? Rendezvous { get; init; }

    /// <summary>The maximum time to wait for the other processes.</summary>
    public TimeSpan Wait { get; init; } = DefaultWait;

    /// <summary>The seed of this process, which differs from that of other processes, so that their orders of offsets differ.</summary>
    public int SeedOfRank => (int)((Seed + ((Shard?.Index ?? 0) * (long)SeedStep)) & int.MaxValue);

    public string OperationName => Time == TimeSpan.Zero ? "create" : Mix is { } mix ? $"mix {mix}" : WriteShare > 0 ? "write" : "read";

    public IReadOnlyList<IoSide> Sides => Engine switch
    {
        EngineChoice.Sluice => [IoSide.Sluice],
        EngineChoice.Bcl => [IoSide.Bcl],
        _ => [IoSide.Sluice, IoSide.Bcl],
    };

    /// <summary>Adds the options of `speed` to the command.</summary>
    /// <returns>
    /// A function that converts a parse result to checked values; it throws a <see cref="UsageException"/> for invalid ones.
    /// </returns>
    public static Func<ParseResult, SpeedOptions> Define(OptionList command)
    {
        Argument<string[]> file = command.Argument(new Argument<string[]>("FILE")
        {
            Description = "The file to read or write; made at its size if it is missing. Of several, requests go to each in turn.",
            Arity = ArgumentArity.ZeroOrMore,
        });
        Option<string> time = command.Value("--time", "t", "seconds", "Measured time for each engine; 0 with -x or -p: only create (30).");
        Option<string> block = command.Value("--block", "b", "size", "Request size (64K).");
        Option<string> read = command.Optional("--read", "r", "size",
            "Read a file of this size (the default; as large as it is, a new one 1G).");
        Option<string> write = command.Optional("--write", "w", "size",
            "Write over a file of this size, with random data (as large as it is, a new one 1G).");
        Option<string> outstanding = command.Value("--async", "a", "N",
            "Asynchronous, N requests outstanding (default: synchronous, one thread).");
        Option<bool> direct = command.Flag("--direct", "d", "Past the page cache; the same as --cache direct.");
        Option<string> seek = command.Value("--seek", "s", "percent",
            "Seek at random up to this share of the file: 0 sequential, 100 anywhere (0).");
        Option<string> extend = command.Optional("--extend", "x", "size",
            "First create the file anew by appending requests, and time it (1G).");
        Option<string> preallocate = command.Optional("--preallocate", "p", "size",
            "First create the file anew, allocated in one go, then filled, and time it (1G).");
        Option<bool> touch = command.Flag("--touch", "c", "Touch every byte read.");
        Option<bool> quiet = command.Flag("--quiet", "q", "Print one comma-separated line.");
        Option<string> engine = command.Value("--engine", null, "name", "sluice, bcl (.NET's RandomAccess) or both, interleaved (sluice).");
        Option<string> mix = command.Value("--mix", null, "R:W", "Mix reads and writes in this proportion, as in 70:30 (reads only).");
        Option<string> iops = command.Value("--iops", null, "rate",
            "Start this many requests a second; latency counts from when each was due (as many as can be).");
        Option<string> rate = command.Value("--rate", null, "size",
            "Offer so many bytes a second, as in 100M: --iops, said in bytes (as many as can be).");
        Option<string> zipf = command.Value("--zipf", null, "exponent",
            "At random, some places far more often than others: 0.5 nearly evenly, 1.2 mostly a few (instead of -s).");
        Option<string> fsync = command.Value("--fsync", null, "N", "FlushToDisk after every N writes; its latency stands apart (never).");
        Option<bool> verify = command.Flag("--verify", null,
            "Afterwards read by plain calls what was read or written, and compare.");
        Option<string> cache = command.Value("--cache", null, "state",
            "hot (read in first), cold (pages dropped) or direct (past the page cache); (as it happens to be).");
        Option<string> warmUp = command.Value("--warmup", null, "seconds",
            "Unmeasured time at the start (a tenth of the time, at most 2).");
        Option<string> seed = command.Value("--seed", null, "number", "Seed of random offsets and of the mix (1).");
        Option<string> shard = command.Value("--shard", null, "I/N",
            "This is process I of N, counted from 0, that begin together; auto takes both from mpirun, srun and such (one alone).");
        Option<string> rendezvous = command.Value("--rendezvous", null, "folder",
            "With --shard: where they wait for each other; all of them have to see it (none; --shard needs one).");
        Option<string> wait = command.Value("--wait", null, "seconds", "With --shard: how long to wait for the others (300).");
        Option<bool> metrics = command.Flag("--metrics", null, "Show what the meter \"Sluice\" counted (docs/metrics.md).");
        Option<bool> force = command.Flag("--force", null, "Do not ask before an existing file is overwritten or made anew.");
        Func<ParseResult, PageOutput> output = PageOutput.Define(command);
        Option<bool> destroy = command.Flag("--i-know-this-destroys-data", null, "Allow writing to a block device.");
        return Bind;

        SpeedOptions Bind(ParseResult result)
        {
            string[] paths = result.GetValue(file) ?? [];
            if (paths.Length == 0 || Array.Exists(paths, p => p.Length == 0))
                throw new UsageException("no file named; try: sluice speed --help");
            RequireDistinct(paths);
            string? readSize = result.GetValue(read);
            string? writeSize = result.GetValue(write);
            string? extendSize = result.GetValue(extend);
            string? preallocateSize = result.GetValue(preallocate);
            if (readSize is not null && writeSize is not null)
                throw new UsageException("-r and -w exclude each other; --mix R:W does both");
            if (extendSize is not null && preallocateSize is not null)
                throw new UsageException("-x and -p exclude each other");
            MixRatio? ratio = result.GetValue(mix) is not { } mixed ? null
                : MixRatio.TryParse(mixed, out MixRatio parsed) ? parsed
                : throw new UsageException($"--mix: '{mixed}' is not a proportion of reads to writes such as 70:30");
            if (result.GetValue(zipf) is not null && result.GetValue(seek) is not null)
                throw new UsageException("-s and --zipf exclude each other: each says where requests go");
            if (ratio is not null && (readSize ?? writeSize) is { } sized && sized == OptionList.Auto)
                throw new UsageException("--mix sets reads and writes; omit -r and -w, or give one of them the file's size");

            CreateMode create = extendSize is not null ? CreateMode.Extend : preallocateSize is not null ? CreateMode.Preallocate
                : CreateMode.None;
            var options = new SpeedOptions(paths[0])
            {
                Others = paths[1..] is { Length: > 0 } others ? others : [],
                Zipf = OptionText.Number("--zipf", result.GetValue(zipf), double.Epsilon, 10),
                FlushEvery = ParseFlushEvery(result.GetValue(fsync), ratio?.WriteShare ?? (writeSize is null ? 0 : 1)),
                Verify = result.GetValue(verify),
                Time = ParseSeconds("-t", result.GetValue(time), 30, allowZero: create != CreateMode.None),
                RequestSizeBytes = (int)ParseRequestSize(result.GetValue(block)),
                SizeBytes = OneSize(ParseSize("-r", readSize), ParseSize("-w", writeSize), ParseSize("-x", extendSize),
                    ParseSize("-p", preallocateSize)),
                WriteShare = ratio?.WriteShare ?? (writeSize is null ? 0 : 1),
                Mix = ratio,
                Outstanding = (int?)OptionText.Whole("-a", result.GetValue(outstanding), 1, MaxOutstanding),
                Cache = ParseCache(result.GetValue(cache), result.GetValue(direct)),
                SeekPercent = OptionText.Number("-s", result.GetValue(seek)?.TrimEnd('%'), 0, 100) ?? 0,
                Create = create,
                TouchEveryByte = result.GetValue(touch),
                Quiet = result.GetValue(quiet),
                Engine = EngineOf(result.GetValue(engine)) ?? EngineChoice.Sluice,
                OperationsPerSecond = ParseRate(
                    result.GetValue(iops), ParseSize("--rate", result.GetValue(rate)), ParseRequestSize(result.GetValue(block))),
                WarmUp = result.GetValue(warmUp) is { } seconds ? ParseSeconds("--warmup", seconds, 0, allowZero: true) : null,
                Seed = OptionText.Whole("--seed", result.GetValue(seed), 0, int.MaxValue, 1),
                Shard = ShardArgument.Parse(result.GetValue(shard)),
                Rendezvous = result.GetValue(rendezvous),
                Wait = ParseSeconds("--wait", result.GetValue(wait), DefaultWait.TotalSeconds, allowZero: true),
                Output = output(result),
                Metrics = result.GetValue(metrics),
                Force = result.GetValue(force),
                DestroysDeviceData = result.GetValue(destroy),
            };
            if (options.Shard is null && result.GetValue(wait) is not null)
                throw new UsageException("--wait needs --shard and --rendezvous");
            Check(options);
            return options;
        }
    }

    public static EngineChoice? EngineOf(string? text) =>
        OptionText.Choice("--engine", text, ("sluice", EngineChoice.Sluice), ("bcl", EngineChoice.Bcl), ("both", EngineChoice.Both));

    private static void Check(SpeedOptions options)
    {
        if (options.Shard is null != options.Rendezvous is null || options.Rendezvous?.Length == 0)
        {
            throw new UsageException(
                "--shard (the number of this process) and --rendezvous (the folder in which the processes meet) are both needed");
        }
        if (options.Shard is not null && (options.Time == TimeSpan.Zero || options.Engine == EngineChoice.Both))
        {
            throw new UsageException("processes that begin together measure for some time on one engine: not with -t0 or --engine both");
        }
        if (options.Verify && options.Time == TimeSpan.Zero)
            throw new UsageException("--verify reads the measured data again, and -t0 measures nothing; give a time");
        if (options.SizeBytes is { } size && size < options.RequestSizeBytes)
        {
            throw new UsageException(
                $"a request of {ByteSize.Format(options.RequestSizeBytes)} does not fit into a file of {ByteSize.Format(size)}; "
                + "give a smaller -b");
        }
        // With reads and writes, each outstanding request has two buffers.
        long buffers = (long)options.RequestSizeBytes * (options.Outstanding ?? 1) * (options.WriteShare is > 0 and < 1 ? 2 : 1);
        long memory = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        if (buffers > memory / 2)
        {
            throw new UsageException(
                $"{options.Outstanding ?? 1} requests of {ByteSize.Format(options.RequestSizeBytes)} need {ByteSize.Format(buffers)} of "
                + $"memory, more than half of the {ByteSize.Format(memory)} there is");
        }
        if (options.Paths.Select(options.Output.OptionNaming).FirstOrDefault(o => o is not null) is { } option)
            throw new UsageException($"{option} names the file that is measured");
    }

    // Two names of one file are an error, because the file would be overwritten twice or read from the page cache.
    private static void RequireDistinct(string[] paths)
    {
        string[] places = [.. paths.Select(EnvironmentProbe.RealPathOf)];
        for (int i = 1; i < paths.Length; i++)
        {
            int same = Array.FindIndex(places, 0, i, other => other == places[i] || PathKinds.AreSame(other, places[i]));
            if (same >= 0)
                throw new UsageException($"{paths[same]} and {paths[i]} are one file");
        }
    }

    // The documented examples give the size to any of these options (-w100M -p). Two different sizes are an error.
    private static long? OneSize(params ReadOnlySpan<long?> sizes)
    {
        long? one = null;
        foreach (long? size in sizes)
        {
            if (size is null)
                continue;
            if (one is not null && one != size)
                throw new UsageException($"two file sizes: {ByteSize.Format(one.Value)} and {ByteSize.Format(size.Value)}");
            one = size;
        }
        return one;
    }

    private static long? ParseSize(string name, string? text) => OptionText.Size(name, text == OptionList.Auto ? null : text);

    private static long ParseRequestSize(string? text) => OptionText.Size("-b", text, 1, MaxRequestSizeBytes) ?? 64 * ByteSize.KiB;

    private static TimeSpan ParseSeconds(string name, string? text, double ifAbsent, bool allowZero)
    {
        double seconds = OptionText.Number(name, text, 0, 86400 * 7) ?? ifAbsent;
        return seconds > 0 || allowZero
            ? TimeSpan.FromSeconds(seconds)
            : throw new UsageException($"{name}: the time must be longer than 0 (0 is for -x and -p alone)");
    }

    private static int? ParseFlushEvery(string? text, double writeShare)
    {
        if (text is null)
            return null;
        return writeShare > 0
            ? OptionText.Whole("--fsync", text, 1, int.MaxValue, 1)
            : throw new UsageException("--fsync is about writes; give -w or --mix too");
    }

    private static double? ParseRate(string? text, long? bytesPerSecond, long requestSizeBytes)
    {
        if (text is not null && bytesPerSecond is not null)
            throw new UsageException("--iops and --rate exclude each other: both say how many requests a second");
        if (text is null)
        {
            double? offered = bytesPerSecond / (double)requestSizeBytes;
            return offered is not > MaxRate ? offered
                : throw new UsageException($"--rate: that is more than {MaxRate:#,0} requests a second; name less, or a larger -b");
        }
        return OptionText.Number("--iops", text, double.Epsilon, MaxRate);
    }

    private static CacheMode ParseCache(string? text, bool direct)
    {
        CacheMode cache = OptionText.Choice("--cache", text, ("hot", CacheMode.Hot), ("cold", CacheMode.Cold), ("direct", CacheMode.Direct))
            ?? (direct ? CacheMode.Direct : CacheMode.AsIs);
        return !direct || cache == CacheMode.Direct ? cache : throw new UsageException($"-d and --cache {text} exclude each other");
    }
}
