using System.IO.Compression;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log;

/// <summary>The caller's options, read once and checked.</summary>
internal sealed class LogSettings
{
    public const int MaxPages = 4096;

    private const int MinSegmentBytes = 4096;

    /// <summary>The number of checks within <see cref="RetainAge"/>.</summary>
    private const int LooksPerAge = 8;

    /// <summary>The minimum number of milliseconds between two checks.</summary>
    private const int MinLookMs = 1000;

    /// <summary>The maximum number of milliseconds between two checks.</summary>
    private const int MaxLookMs = 600_000;

    public LogSettings(SluiceLogOptions options)
    {
        Format = options.Format;
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)Format, (uint)LogFormat.Raw, nameof(options.Format));
        Durability = Known(options.Durability);
        SegmentBytes = options.SegmentBytes;
        ArgumentOutOfRangeException.ThrowIfLessThan(SegmentBytes, MinSegmentBytes, nameof(options.SegmentBytes));
        SegmentAge = options.SegmentAge;
        ArgumentOutOfRangeException.ThrowIfLessThan(SegmentAge ?? default, default, nameof(options.SegmentAge));
        MaxRecordBytes = options.MaxRecordBytes;
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(MaxRecordBytes, nameof(options.MaxRecordBytes));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxRecordBytes, LogLayout.MaxRecordBytes, nameof(options.MaxRecordBytes));
        int bufferBytes = options.BufferBytes;
        ArgumentOutOfRangeException.ThrowIfNegative(bufferBytes, nameof(options.BufferBytes));
        PageBytes = LogLayout.Padded(MaxRecordBytes) + LogLayout.FrameHeaderBytes + 64;
        Pages = (int)Math.Clamp((long)bufferBytes / PageBytes, 2, MaxPages);
        WaitWhenFull = options.WaitWhenFull;
        double intervalMs = options.FlushInterval.TotalMilliseconds;
        ArgumentOutOfRangeException.ThrowIfLessThan(intervalMs, 1, nameof(options.FlushInterval));
        FlushIntervalMs = (int)Math.Min(intervalMs, int.MaxValue);
        Preallocate = options.Preallocate;
        RetainSegments = options.RetainSegments;
        ArgumentOutOfRangeException.ThrowIfLessThan(RetainSegments ?? 1, 1, nameof(options.RetainSegments));
        RetainBytes = options.RetainBytes;
        ArgumentOutOfRangeException.ThrowIfNegative(RetainBytes ?? 0, nameof(options.RetainBytes));
        RetainAge = options.RetainAge;
        ArgumentOutOfRangeException.ThrowIfLessThan(RetainAge ?? default, default, nameof(options.RetainAge));
        AcceptLoss = options.AcceptLoss;
        DisposeOnProcessExit = options.DisposeOnProcessExit;
        UnixCreateMode = options.UnixCreateMode;
        Engine = options.Engine ?? IoEngine.Ambient;
        Names = options.FileNamePattern is null ? Format == LogFormat.Framed ? SegmentNames.Framed : SegmentNames.Raw
            : Format == LogFormat.Raw ? SegmentNames.Parse(options.FileNamePattern)
            : throw new ArgumentException("The files of a framed log have names of their own.", nameof(options.FileNamePattern));
        Compression = options.Compression;
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)Compression, (uint)CompressionLevel.SmallestSize, nameof(options.Compression));
        if (Compression != CompressionLevel.NoCompression && Format == LogFormat.Framed)
        {
            throw new ArgumentException("The segments of a framed log are not compressed.", nameof(options.Compression));
        }

        if (Compression != CompressionLevel.NoCompression && !Libc.IsSupported)
        {
            throw new PlatformNotSupportedException(
                "Raw logs are compressed only on Linux: elsewhere it is not known whether another process still appends to a file.");
        }

        CompressionStep = options.CompressionStep;
        Clock = options.Clock;
    }

    public LogFormat Format { get; }

    public LogDurability Durability { get; }

    public long SegmentBytes { get; }

    public TimeSpan? SegmentAge { get; }

    public int MaxRecordBytes { get; }

    public int PageBytes { get; }

    public int Pages { get; }

    public bool WaitWhenFull { get; }

    public int FlushIntervalMs { get; }

    public bool Preallocate { get; }

    public int? RetainSegments { get; }

    public long? RetainBytes { get; }

    public TimeSpan? RetainAge { get; }

    /// <summary>Milliseconds between two checks for old segments; Timeout.Infinite for no checks.</summary>
    public int RetentionIntervalMs => RetainAge is { } age
        ? (int)Math.Clamp(age.TotalMilliseconds / LooksPerAge, MinLookMs, MaxLookMs)
        : Timeout.Infinite;

    public bool AcceptLoss { get; }

    public bool DisposeOnProcessExit { get; }

    public UnixFileMode? UnixCreateMode { get; }

    public IoEngine? Engine { get; }

    /// <summary>The names of the files.</summary>
    public SegmentNames Names { get; }

    /// <summary>The compression of full segments.</summary>
    public CompressionLevel Compression { get; }

    public TimeProvider Clock { get; }

    /// <inheritdoc cref="SluiceLogOptions.CompressionStep"/>
    public Action<string>? CompressionStep { get; }

    public static LogDurability Known(LogDurability durability)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)durability, (uint)LogDurability.Durable, nameof(durability));
        return durability;
    }
}
