using System.CommandLine;
using System.Globalization;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

internal enum CreateMode { None, Extend, Preallocate }

internal enum EngineChoice { Sluice, Bcl, Both }

/// <summary>The validated arguments of the `speed` command: a workload, without the size of the file, and how to measure it.</summary>
internal sealed record SpeedOptions : Workload
{
    private const int MaxOutstanding = 4096;
    private const int SectorBytes = 512;
    private const double MaxRate = 1e8;
    private const long MaxRequestSizeBytes = ByteSize.GiB;

    public const long DefaultFileSizeBytes = ByteSize.GiB;

    private static readonly (string Name, CacheMode Value)[] Caches =
        [("hot", CacheMode.Hot), ("cold", CacheMode.Cold), ("direct", CacheMode.Direct)];

    public SpeedOptions(string path)
        : base(path, FileSizeBytes: 0, RequestSizeBytes: (int)(64 * ByteSize.KiB))
    {
    }

    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>The size on the command line, in bytes; null if there is none.</summary>
    public long? SizeBytes { get; init; }

    /// <summary>The ratio of reads to writes, as in 70:30; null if they are not mixed.</summary>
    public string? Mix { get; init; }

    public CreateMode Create { get; init; }

    public bool Quiet { get; init; }

    public EngineChoice Engine { get; init; }

    public TimeSpan? WarmUp { get; init; }

    public bool Force { get; init; }

    public bool DestroysDeviceData { get; init; }

    public string OperationName =>
        Time == TimeSpan.Zero ? "create" : Mix is not null ? $"mix {Mix}" : WriteShare > 0 ? "write" : "read";

    /// <summary>The value of --cache; "as is" without it.</summary>
    public string CacheName => Array.Find(Caches, c => c.Value == Cache).Name ?? "as is";

    public IReadOnlyList<IoSide> Sides => SidesOf(Engine);

    /// <summary>Adds the options of `speed` to the command.</summary>
    /// <returns>
    /// A function that converts a parse result to checked values; it throws a <see cref="UsageException"/> for invalid ones.
    /// </returns>
    public static Func<ParseResult, SpeedOptions> Define(OptionList command)
    {
        Argument<string?> file = command.OptionalArgument("FILE", "The file to read or write. A missing file is created.");
        Option<string> time = command.Value("--time", "t", "seconds", "Measured time for each engine; 0 with -x or -p: only create (30).");
        Option<string> block = command.Value("--block", "b", "size", "Request size (64K).");
        Option<string> read = command.Optional("--read", "r", "size",
            "Read a file of this size; this is the default (an existing file as it is, a new one of 1G).");
        Option<string> write = command.Optional("--write", "w", "size",
            "Write over a file of this size, with random data (an existing file as it is, a new one of 1G).");
        Option<string> outstanding = command.Value("--async", "a", "N",
            "Asynchronous, N requests outstanding (default: synchronous, one thread).");
        Option<bool> direct = command.Flag("--direct", "d", "Past the page cache; the same as --cache direct.");
        Option<string> seek = command.Value("--seek", "s", "percent",
            "Maximum distance between two requests, in percent of the file: 0 is sequential, 100 is random (0).");
        Option<string> extend = command.Optional("--extend", "x", "size",
            "First create the file by synchronous appends, and measure that (1G).");
        Option<string> preallocate = command.Optional("--preallocate", "p", "size",
            "The same, with the space allocated before the first write (1G).");
        Option<bool> touch = command.Flag("--touch", "c", "Access every byte that was read.");
        Option<bool> quiet = command.Flag("--quiet", "q", "Print one comma-separated line.");
        Option<string> engine = command.Value("--engine", null, "name", "sluice, bcl (.NET's RandomAccess) or both, interleaved (sluice).");
        Option<string> mix = command.Value("--mix", null, "R:W", "Mix reads and writes in this proportion, as in 70:30 (reads only).");
        Option<string> iops = command.Value("--iops", null, "rate",
            "Start this many requests a second, and measure latency from the time at which each was due (no fixed rate).");
        Option<string> zipf = command.Value("--zipf", null, "exponent",
            "Random offsets with a Zipf distribution: 0.5 is nearly uniform, 1.2 mostly a few offsets (none; -s applies).");
        Option<string> fsync = command.Value("--fsync", null, "N",
            "Call FlushToDisk after every N writes; its latency is reported separately (never).");
        Option<bool> verify = command.Flag("--verify", null,
            "Afterwards read the same ranges with .NET, and compare.");
        Option<string> cache = command.Value("--cache", null, "state",
            "hot: the file is read before; cold: its pages are dropped; direct: past the page cache (the cache as it is).");
        Option<string> warmUp = command.Value("--warmup", null, "seconds",
            "Unmeasured time at the start (a tenth of the time, at most 2).");
        Option<string> seed = command.Value("--seed", null, "number", "Seed of random offsets and of the mix (1).");
        Option<bool> force = command.Flag("--force", null, "Do not ask before an existing file is overwritten or recreated.");
        Option<bool> destroy = command.Flag("--i-know-this-destroys-data", null, "Allow writing to a block device.");
        return Bind;

        SpeedOptions Bind(ParseResult result)
        {
            if (result.GetValue(file) is not { Length: > 0 } path)
                throw new UsageException("no file named; try: sluice speed --help");
            string? readSize = result.GetValue(read);
            string? writeSize = result.GetValue(write);
            string? extendSize = result.GetValue(extend);
            string? preallocateSize = result.GetValue(preallocate);
            if (readSize is not null && writeSize is not null)
                throw new UsageException("-r and -w exclude each other; --mix R:W does both");
            if (extendSize is not null && preallocateSize is not null)
                throw new UsageException("-x and -p exclude each other");
            string? ratio = result.GetValue(mix);
            double writeShare = ratio is not null ? ParseMix(ratio) : writeSize is null ? 0 : 1;
            if (result.GetValue(zipf) is not null && result.GetValue(seek) is not null)
                throw new UsageException("-s and --zipf exclude each other: each says where requests go");
            if (ratio is not null && (readSize ?? writeSize) is { } sized && sized == OptionList.Auto)
                throw new UsageException("--mix sets reads and writes; omit -r and -w, or give one of them the file's size");

            CreateMode create = extendSize is not null ? CreateMode.Extend : preallocateSize is not null ? CreateMode.Preallocate
                : CreateMode.None;
            var options = new SpeedOptions(path)
            {
                Zipf = OptionText.Number("--zipf", result.GetValue(zipf), double.Epsilon, 10),
                FlushEvery = ParseFlushEvery(result.GetValue(fsync), writeShare),
                Verify = result.GetValue(verify),
                Time = ParseSeconds("-t", result.GetValue(time), 30, allowZero: create != CreateMode.None),
                RequestSizeBytes = (int)(OptionText.Size("-b", result.GetValue(block), 1, MaxRequestSizeBytes) ?? 64 * ByteSize.KiB),
                SizeBytes = OneSize(ParseSize("-r", readSize), ParseSize("-w", writeSize), ParseSize("-x", extendSize),
                    ParseSize("-p", preallocateSize)),
                WriteShare = writeShare,
                Mix = ratio,
                Outstanding = (int?)OptionText.Whole("-a", result.GetValue(outstanding), 1, MaxOutstanding),
                Cache = ParseCache(result.GetValue(cache), result.GetValue(direct)),
                SeekPercent = OptionText.Number("-s", result.GetValue(seek)?.TrimEnd('%'), 0, 100) ?? 0,
                Create = create,
                TouchEveryByte = result.GetValue(touch),
                Quiet = result.GetValue(quiet),
                Engine = EngineOf(result.GetValue(engine)) ?? EngineChoice.Sluice,
                OperationsPerSecond = OptionText.Number("--iops", result.GetValue(iops), double.Epsilon, MaxRate),
                WarmUp = result.GetValue(warmUp) is { } seconds ? ParseSeconds("--warmup", seconds, 0, allowZero: true) : null,
                Seed = OptionText.Whole("--seed", result.GetValue(seed), 0, int.MaxValue, 1),
                Force = result.GetValue(force),
                DestroysDeviceData = result.GetValue(destroy),
            };
            Check(options);
            return options;
        }
    }

    public static EngineChoice? EngineOf(string? text) =>
        OptionText.Choice("--engine", text, ("sluice", EngineChoice.Sluice), ("bcl", EngineChoice.Bcl), ("both", EngineChoice.Both));

    public static IReadOnlyList<IoSide> SidesOf(EngineChoice engine) => engine switch
    {
        EngineChoice.Sluice => [IoSide.Sluice],
        EngineChoice.Bcl => [IoSide.Bcl],
        _ => [IoSide.Sluice, IoSide.Bcl],
    };

    private static void Check(SpeedOptions options)
    {
        if (options.Verify && options.Time == TimeSpan.Zero)
            throw new UsageException("--verify reads the measured data again, and -t0 measures nothing; give a time");
        if (options.SizeBytes is { } size && size < options.RequestSizeBytes)
        {
            throw new UsageException(
                $"a request of {ByteSize.Format(options.RequestSizeBytes)} does not fit into a file of {ByteSize.Format(size)}; "
                + "give a smaller -b");
        }
        // Checked before a file is created. The file system may require more.
        if (options.Cache == CacheMode.Direct && options.Sides.Contains(IoSide.Bcl))
        {
            RequireAligned(options.RequestSizeBytes, SectorBytes);
            if (options.Create != CreateMode.None)
                RequireAligned(options.SizeBytes ?? DefaultFileSizeBytes, SectorBytes);
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
    }

    /// <summary>Requires whole sectors for direct I/O by .NET.</summary>
    /// <exception cref="UsageException">The size is not a multiple of the alignment.</exception>
    public static void RequireAligned(long bytes, int alignmentBytes)
    {
        if (bytes % alignmentBytes != 0)
        {
            throw new UsageException($"direct I/O by .NET's own calls needs sizes that are multiples of {alignmentBytes} bytes; "
                + "--engine sluice has no such limit");
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

    private static TimeSpan ParseSeconds(string name, string? text, double ifAbsent, bool allowZero)
    {
        double seconds = OptionText.Number(name, text, 0, 86400 * 7) ?? ifAbsent;
        return seconds > 0 || allowZero
            ? TimeSpan.FromSeconds(seconds)
            : throw new UsageException($"{name}: the time must be longer than 0 (0 is for -x and -p alone)");
    }

    /// <summary>Returns the share of writes.</summary>
    private static double ParseMix(string text) =>
        text.Split(':') is [var left, var right] && int.TryParse(left, NumberStyles.None, CultureInfo.InvariantCulture, out int reads)
            && int.TryParse(right, NumberStyles.None, CultureInfo.InvariantCulture, out int writes) && (reads > 0 || writes > 0)
            ? writes / ((double)reads + writes)
            : throw new UsageException($"--mix: '{text}' is not a proportion of reads to writes such as 70:30");

    private static int? ParseFlushEvery(string? text, double writeShare)
    {
        if (text is null)
            return null;
        return writeShare > 0
            ? OptionText.Whole("--fsync", text, 1, int.MaxValue, 1)
            : throw new UsageException("--fsync is about writes; give -w or --mix too");
    }

    private static CacheMode ParseCache(string? text, bool direct)
    {
        CacheMode cache = OptionText.Choice("--cache", text, Caches) ?? (direct ? CacheMode.Direct : CacheMode.AsIs);
        return !direct || cache == CacheMode.Direct ? cache : throw new UsageException($"-d and --cache {text} exclude each other");
    }
}
