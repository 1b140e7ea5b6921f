using Sluice.Cli.Load;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

internal enum CreateMode { None, Extend, Preallocate }

internal enum EngineChoice { Sluice, Bcl, Both }

/// <summary>One checked `speed` command line.</summary>
internal sealed record SpeedOptions(string Path)
{
    public const long DefaultFileSizeBytes = ByteSize.GiB;

    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(30);

    public int RequestSizeBytes { get; init; } = (int)(64 * ByteSize.KiB);

    /// <summary>The size that the command line names, or null.</summary>
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

    public bool Force { get; init; }

    public bool DestroysDeviceData { get; init; }

    public int Seed { get; init; } = 1;

    public string OperationName => Mix is { } mix ? $"mix {mix}" : WriteShare > 0 ? "write" : "read";

    public IReadOnlyList<IoSide> Sides => Engine switch
    {
        EngineChoice.Sluice => [IoSide.Sluice],
        EngineChoice.Bcl => [IoSide.Bcl],
        _ => [IoSide.Sluice, IoSide.Bcl],
    };
}
