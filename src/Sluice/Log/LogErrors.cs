using System.Diagnostics.CodeAnalysis;
using Sluice.Kernel;

namespace Sluice.Log;

/// <summary>The exceptions and messages of a log.</summary>
internal static class LogErrors
{
    /// <summary>Creates a separate exception for each append that failed with the same error.</summary>
    public static Exception Failed(string directory, string what, Exception error) =>
        new IOException($"{what} the log '{directory}' failed: {error.Message}", error) { HResult = error.HResult };

    /// <summary>The reason why the log acknowledges nothing more.</summary>
    public static IOException MustReopen(Exception error) =>
        new($"a flush to the disk failed, and the log accepts no more records until it is opened again. {error.Message}", error)
        {
            HResult = error.HResult,
        };

    /// <summary>The error of records that could not be written before the log was closed, and are not written any more.</summary>
    public static IOException LetGo(string directory) =>
        new($"The log '{directory}' was closed before this could be written and made durable.");

    /// <summary>Sequence numbers are missing between two segments.</summary>
    public static string Missing(string before, string next) => $"a segment is missing between '{before}' and '{next}'";

    /// <summary>The records after those that were read were removed from the beginning of the log.</summary>
    /// <param name="next">The first record that is there.</param>
    public static string Overtaken(long next) =>
        $"it was removed before it was read, and the log begins later now (record {next} is there)";

    /// <summary>Records that a reader has passed are not in the log any more.</summary>
    public static string Removed(long first) =>
        $"records that were read have been removed from the end of the log since; those from {first} on may be different now";

    /// <summary>Two segments have records with the same numbers.</summary>
    public static string BeginsBeforeEnd(string before) => $"it begins before '{before}' ends: a wrong order";

    /// <summary>The program that wrote a frame violated the format.</summary>
    public const string RecordTooLong = "a record is longer than its frame";

    /// <summary>The folder contains the segments of another log.</summary>
    public const string IsOtherLog = "the log that was read was removed, and another one is in its folder by now";

    /// <summary>Durable records are missing.</summary>
    public static string Lost(long durable) => $"records up to {durable} were on the disk, and files that had them are gone or cut";

    [DoesNotReturn]
    public static void ThrowClosed(string directory) =>
        throw new ObjectDisposedException(nameof(SluiceLog), $"The log '{directory}' is closed.");

    [DoesNotReturn]
    public static void ThrowFull(string directory, long bytes) =>
        throw new IOException($"Appending to the log '{directory}' failed: all of its {bytes} bytes of memory wait to be written.");

    public static ArgumentOutOfRangeException NotThere(string parameter, long sequence, long first, long last) =>
        new(parameter, sequence, $"The log has the records {first} to {last}.");

    public static IOException BackedUp(string directory) =>
        new($"Appending to the log '{directory}' failed: {Tuning.LogFullSegments} full segments wait to be on the disk.");

    [DoesNotReturn]
    public static void ThrowTooLong(int bytes, int most, string parameter) =>
        throw new ArgumentException(
            $"A record or batch of {bytes} bytes is longer than this log allows: {most} (MaxRecordBytes).", parameter);
}
