using System.Diagnostics.CodeAnalysis;
using Sluice.Kernel;

namespace Sluice.Log;

/// <summary>The exceptions and messages of a log.</summary>
internal static class LogErrors
{
    /// <summary>Creates a separate exception for each append that failed with the same error.</summary>
    public static Exception Failed(string directory, string what, Exception error) =>
        new IOException($"{what} the log '{directory}' failed: {error.Message}", error) { HResult = error.HResult };

    /// <summary>Creates the exception for a log that accepts no more records after a failed flush.</summary>
    public static IOException MustReopen(Exception error) =>
        new($"a flush to the disk failed, and the log accepts no more records until it is opened again. {error.Message}", error)
        {
            HResult = error.HResult,
        };

    /// <summary>Creates the exception for records that could not be written before the log was closed.</summary>
    public static IOException ClosedBeforeWritten(string directory) =>
        new($"The log '{directory}' was closed before this could be written and made durable.");

    /// <summary>Returns the message for sequence numbers that are missing between two segments.</summary>
    public static string Missing(string before, string next) => $"a segment is missing between '{before}' and '{next}'";

    /// <summary>Returns the message for records that were removed from the beginning of the log before they were read.</summary>
    /// <param name="next">The first record that is still in the log.</param>
    public static string Overtaken(long next) =>
        $"it was removed before it was read, and the log begins later now (record {next} is there)";

    /// <summary>Returns the message for records that a reader has passed and that are not in the log any more.</summary>
    public static string Removed(long first) =>
        $"records that were read have been removed from the end of the log since; those from {first} on may be different now";

    /// <summary>Returns the message for two segments that have records with the same numbers.</summary>
    public static string BeginsBeforeEnd(string before) => $"it begins before '{before}' ends: a wrong order";

    /// <summary>The message for a frame whose writer violated the format.</summary>
    public const string RecordTooLong = "a record is longer than its frame";

    /// <summary>The message for a folder that contains the segments of another log.</summary>
    public const string IsOtherLog = "the log that was read was removed, and another one is in its folder by now";

    /// <summary>Returns the message for durable records that are missing.</summary>
    public static string Lost(long durable) => $"records up to {durable} were on the disk, and files that had them are gone or cut";

    [DoesNotReturn]
    public static void ThrowClosed(string directory) =>
        throw new ObjectDisposedException(nameof(SluiceLog), $"The log '{directory}' is closed.");

    [DoesNotReturn]
    public static void ThrowFull(string directory, long bytes) =>
        throw new IOException($"Appending to the log '{directory}' failed: all of its {bytes} bytes of memory wait to be written.");

    public static ArgumentOutOfRangeException NotThere(string parameter, long sequence, long first, long last) =>
        new(parameter, sequence, $"The log has the records {first} to {last}.");

    public static IOException TooManyFull(string directory) =>
        new($"Appending to the log '{directory}' failed: {Tuning.LogFullSegments} full segments wait to be on the disk.");

    [DoesNotReturn]
    public static void ThrowTooLong(int bytes, int most, string parameter) =>
        throw new ArgumentException(
            $"A record or batch of {bytes} bytes is longer than this log allows: {most} (MaxRecordBytes).", parameter);
}
