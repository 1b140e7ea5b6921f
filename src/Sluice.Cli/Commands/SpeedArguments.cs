using System.CommandLine;
using System.Globalization;
using Sluice.Cli.Load;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>The options of `speed` as the parser knows them, and their way into checked values.</summary>
internal sealed class SpeedArguments
{
    private const int MaxOutstanding = 4096;
    private const long MaxRequestSizeBytes = ByteSize.GiB;

    private readonly Argument<string> _file = new("FILE") { Description = "The file to read or write; made at its size if it is missing." };
    private readonly Option<string> _time;
    private readonly Option<string> _block;
    private readonly Option<string> _read;
    private readonly Option<string> _write;
    private readonly Option<string> _async;
    private readonly Option<bool> _direct;
    private readonly Option<string> _seek;
    private readonly Option<string> _extend;
    private readonly Option<string> _preallocate;
    private readonly Option<bool> _touch;
    private readonly Option<bool> _quiet;
    private readonly Option<string> _engine;
    private readonly Option<string> _mix;
    private readonly Option<string> _iops;
    private readonly Option<string> _cache;
    private readonly Option<string> _warmUp;
    private readonly Option<string> _seed;
    private readonly PageOutputArguments _output;
    private readonly Option<bool> _force;
    private readonly Option<bool> _destroy;

    public SpeedArguments(OptionList options)
    {
        options.Argument(_file);
        _time = options.Value("--time", "t", "seconds", "Measured time for each engine (30). 0 with -x or -p: only create.");
        _block = options.Value("--block", "b", "size", "Request size (64K).");
        _read = options.Optional("--read", "r", "size", "Read a file of this size (the default, 1G).");
        _write = options.Optional("--write", "w", "size", "Write over a file of this size.");
        _async = options.Value("--async", "a", "N", "Asynchronous, N requests outstanding (default: synchronous, one thread).");
        _direct = options.Flag("--direct", "d", "Past the page cache; the same as --cache direct.");
        _seek = options.Value("--seek", "s", "percent", "Seek at random up to this share of the file: 0 sequential, 100 anywhere (0).");
        _extend = options.Optional("--extend", "x", "size", "First create the file anew by appending requests, and time it.");
        _preallocate = options.Optional("--preallocate", "p", "size",
            "First create the file anew, allocated in one go, then filled, and time it.");
        _touch = options.Flag("--touch", "c", "Touch every byte read.");
        _quiet = options.Flag("--quiet", "q", "Print one comma-separated line.");
        _engine = options.Value("--engine", null, "name", "sluice, bcl (.NET's RandomAccess) or both, interleaved (sluice).");
        _mix = options.Value("--mix", null, "R:W", "Mix reads and writes in this proportion, as in 70:30.");
        _iops = options.Value("--iops", null, "rate", "Start this many requests a second; latency counts from when each was due.");
        _cache = options.Value("--cache", null, "state", "hot (read in first), cold (pages dropped), direct (past the page cache).");
        _warmUp = options.Value("--warmup", null, "seconds", "Unmeasured time at the start (a tenth of the time, at most 2).");
        _seed = options.Value("--seed", null, "number", "Seed of random offsets and of the mix (1).");
        _force = options.Flag("--force", null, "Do not ask before an existing file is overwritten, extended or made anew.");
        _output = new PageOutputArguments(options, _force);
        _destroy = options.Flag("--i-know-this-destroys-data", null, "Allow writing to a block device.");
    }

    /// <exception cref="UsageException">Values that make no sense, alone or together.</exception>
    public SpeedOptions Bind(ParseResult result)
    {
        if (result.GetValue(_file) is not { Length: > 0 } path)
            throw new UsageException("no file named; try: sluice speed --help");
        string? read = result.GetValue(_read);
        string? write = result.GetValue(_write);
        string? extend = result.GetValue(_extend);
        string? preallocate = result.GetValue(_preallocate);
        if (read is not null && write is not null)
            throw new UsageException("-r and -w exclude each other; --mix R:W does both");
        if (extend is not null && preallocate is not null)
            throw new UsageException("-x and -p exclude each other");
        MixRatio? mix = ParseMix(result.GetValue(_mix));
        if (mix is not null && (read ?? write) is { } sized && sized == ArgumentRewriter.Auto)
            throw new UsageException("--mix says what is read and written; leave -r and -w away, or give one of them the file's size");

        CreateMode create = extend is not null ? CreateMode.Extend : preallocate is not null ? CreateMode.Preallocate : CreateMode.None;
        var options = new SpeedOptions(path)
        {
            Time = ParseSeconds("-t", result.GetValue(_time), 30, allowZero: create != CreateMode.None),
            RequestSizeBytes = (int)ParseRequestSize(result.GetValue(_block)),
            SizeBytes = OneSize(ParseSize("-r", read), ParseSize("-w", write), ParseSize("-x", extend), ParseSize("-p", preallocate)),
            WriteShare = mix?.WriteShare ?? (write is null ? 0 : 1),
            Mix = mix,
            Outstanding = ParseOutstanding(result.GetValue(_async)),
            Cache = ParseCache(result.GetValue(_cache), result.GetValue(_direct)),
            SeekPercent = ParsePercent(result.GetValue(_seek)),
            Create = create,
            TouchEveryByte = result.GetValue(_touch),
            Quiet = result.GetValue(_quiet),
            Engine = ParseEngine(result.GetValue(_engine)),
            OperationsPerSecond = ParseRate(result.GetValue(_iops)),
            WarmUp = result.GetValue(_warmUp) is { } warmUp ? ParseSeconds("--warmup", warmUp, 0, allowZero: true) : null,
            Seed = ParseSeed(result.GetValue(_seed)),
            Output = _output.Bind(result),
            Force = result.GetValue(_force),
            DestroysDeviceData = result.GetValue(_destroy),
        };
        Check(options);
        return options;
    }

    private static void Check(SpeedOptions options)
    {
        if (options.SizeBytes is { } size && size < options.RequestSizeBytes)
        {
            throw new UsageException(
                $"a request of {ByteSize.Format(options.RequestSizeBytes)} does not fit into a file of {ByteSize.Format(size)}; "
                + "give a smaller -b");
        }
        long buffers = (long)options.RequestSizeBytes * (options.Outstanding ?? 1);
        long memory = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        if (buffers > memory / 2)
        {
            throw new UsageException(
                $"{options.Outstanding} requests of {ByteSize.Format(options.RequestSizeBytes)} need {ByteSize.Format(buffers)} of memory, "
                + $"more than half of the {ByteSize.Format(memory)} there is");
        }
        foreach ((string option, string path) in options.Output.Named)
        {
            if (Path.GetFullPath(path) == Path.GetFullPath(options.Path))
                throw new UsageException($"{option} names the file that is measured");
        }
    }

    // The examples give the size to whichever option is at hand (-w100M -p); two that differ cannot both be meant.
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

    private static long? ParseSize(string name, string? text)
    {
        if (text is null or ArgumentRewriter.Auto)
            return null;
        if (!ByteSize.TryParse(text, out long bytes))
            throw new UsageException($"{name}: '{text}' is not a size; write bytes or K, M, G (KiB, MiB, GiB), as in 100M");
        return bytes > 0 ? bytes : throw new UsageException($"{name}: a size must be larger than 0");
    }

    private static long ParseRequestSize(string? text)
    {
        long bytes = ParseSize("-b", text) ?? 64 * ByteSize.KiB;
        return bytes <= MaxRequestSizeBytes
            ? bytes
            : throw new UsageException($"-b: a request of {ByteSize.Format(bytes)} is larger than {ByteSize.Format(MaxRequestSizeBytes)}");
    }

    private static TimeSpan ParseSeconds(string name, string? text, double ifAbsent, bool allowZero)
    {
        if (text is null)
            return TimeSpan.FromSeconds(ifAbsent);
        if (!double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds) || seconds > 86400 * 7)
            throw new UsageException($"{name}: '{text}' is not a number of seconds between 0 and a week");
        return seconds > 0 || allowZero
            ? TimeSpan.FromSeconds(seconds)
            : throw new UsageException($"{name}: the time must be longer than 0 (0 is for -x and -p alone)");
    }

    private static double ParsePercent(string? text)
    {
        if (text is null)
            return 0;
        return double.TryParse(text.TrimEnd('%'), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double percent)
            && percent <= 100
            ? percent
            : throw new UsageException($"-s: '{text}' is not a percentage between 0 and 100");
    }

    private static int? ParseOutstanding(string? text)
    {
        if (text is null)
            return null;
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int count) && count is >= 1 and <= MaxOutstanding
            ? count
            : throw new UsageException($"-a: '{text}' is not a number of outstanding requests between 1 and {MaxOutstanding}");
    }

    private static double? ParseRate(string? text)
    {
        if (text is null)
            return null;
        return double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double rate)
            && rate is > 0 and <= 1e8
            ? rate
            : throw new UsageException($"--iops: '{text}' is not a rate in requests a second");
    }

    private static int ParseSeed(string? text)
    {
        if (text is null)
            return 1;
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int seed)
            ? seed
            : throw new UsageException($"--seed: '{text}' is not a whole number between 0 and {int.MaxValue}");
    }

    private static MixRatio? ParseMix(string? text)
    {
        if (text is null)
            return null;
        return MixRatio.TryParse(text, out MixRatio mix)
            ? mix
            : throw new UsageException($"--mix: '{text}' is not a proportion of reads to writes such as 70:30");
    }

    private static CacheMode ParseCache(string? text, bool direct)
    {
        CacheMode cache = text switch
        {
            null => direct ? CacheMode.Direct : CacheMode.AsIs,
            "hot" => CacheMode.Hot,
            "cold" => CacheMode.Cold,
            "direct" => CacheMode.Direct,
            _ => throw new UsageException($"--cache: '{text}' is none of hot, cold, direct"),
        };
        return !direct || cache == CacheMode.Direct ? cache : throw new UsageException($"-d and --cache {text} exclude each other");
    }

    private static EngineChoice ParseEngine(string? text) => text switch
    {
        null or "sluice" => EngineChoice.Sluice,
        "bcl" => EngineChoice.Bcl,
        "both" => EngineChoice.Both,
        _ => throw new UsageException($"--engine: '{text}' is none of sluice, bcl, both"),
    };
}
