namespace Sluice.Cli.Report.Pages;

/// <summary>
/// The places of files on their device: a strip for the device and, for a single file, a strip for the file above it, connected piece by
/// piece.
/// </summary>
internal sealed record PageMap
{
    public required string Title { get; init; }

    /// <summary>The length of the file, in bytes; null for a map of many files, which shows how much of the device is used.</summary>
    public long? FileBytes { get; init; }

    /// <summary>The part of the device that is shown, in bytes.</summary>
    public required long DeviceStart { get; init; }

    public required long DeviceEnd { get; init; }

    public required IReadOnlyList<MapSpan> Spans { get; init; }
}

/// <param name="FileOffset">The offset in the file, in bytes; null in a map of many files.</param>
/// <param name="DeviceOffset">The offset on the device, in bytes.</param>
/// <param name="Fill">The used share of the span, from 0 to 1.</param>
internal sealed record MapSpan(long? FileOffset, long DeviceOffset, long Length, double Fill = 1);
