using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Copy;

/// <summary>Formats the output of `copy`, one line for each copy.</summary>
internal static class CopyText
{
    public static string Name(string method) => method switch
    {
        "reflink" => "by reflink, sharing blocks",
        "range" => "by copy_file_range, within the kernel",
        "direct" => "direct, past the page cache",
        "auto" => "each file by what is cheapest for it",
        _ => "buffered",
    };

    /// <param name="made">The additional steps, such as "; verified, on the disk"; see <see cref="Made"/>.</param>
    public static string Describe(CopyRecord copy, string made)
    {
        string names = $"{copy.Source} -> {copy.Target}";
        if (copy.UnchangedFiles > 0 && copy.Files == 0 && copy.Bytes == 0)
            return $"{names}: unchanged, {(copy.UnchangedFiles == 1 ? "skipped" : $"{Counted.Of(copy.UnchangedFiles, "file")} skipped")}";
        string files = copy.Folders > 0 ? $"{Counted.Of(copy.Files, "file")} in {Counted.Of(copy.Folders, "folder")}, " : "";
        string depth = copy.Depth > 0 ? $", {Counted.Of(copy.Depth, "request")} outstanding" : "";
        string resumed = copy.ResumedBytes > 0 ? $"; {ByteSize.Format(copy.ResumedBytes)} were there already" : "";
        string changed = copy.ChangedFiles > 0 ? $"; {copy.ChangedFiles:#,0} changed meanwhile" : "";
        string unchanged = copy.UnchangedFiles > 0 ? $"; {copy.UnchangedFiles:#,0} unchanged, skipped" : "";
        // A copy without bytes has no method.
        string way = copy.Bytes > 0 ? $": {Name(copy.Method)}{depth} ({copy.Reason})" : "";
        return $"{names}: {files}{Rate(copy.Bytes, copy.Seconds, copy.CpuSeconds)}{way}{resumed}{changed}{unchanged}{made}";
    }

    /// <summary>Returns the steps that were requested in addition to the copy.</summary>
    public static string Made(bool isVerified, bool isOnDisk) => (isVerified, isOnDisk) switch
    {
        (true, true) => "; verified, on the disk",
        (true, false) => "; verified",
        (false, true) => "; on the disk",
        _ => "",
    };

    /// <summary>Describes the work of an interrupted copy and what remains of it.</summary>
    /// <param name="totalBytes">The length of the file; null for a tree, whose size is unknown.</param>
    /// <param name="isReplaced">True if the copy was to replace an existing file.</param>
    /// <param name="isResumed">True if an incomplete copy is kept for --resume.</param>
    public static string Interrupted(CopyRecord copy, long? totalBytes, bool isReplaced, bool isResumed)
    {
        string left = totalBytes is null ? "what was copied stays, and -u goes on from it"
            : isResumed ? "it is kept: the same command goes on from it"
            : isReplaced ? $"{copy.Target} is as it was" : "nothing of it is left";
        string files = totalBytes is null ? $"{Counted.Of(copy.Files, "file")}, " : "";
        string done = copy.Files == 0 && copy.Bytes == 0 ? "before anything was copied"
            : $"after {files}{Rate(copy.Bytes, copy.Seconds, copy.CpuSeconds, totalBytes)}";
        string failed = copy.Failures.Count > 0 ? $"; {copy.Failures.Count:#,0} failed" : "";
        return $"{copy.Source} -> {copy.Target}: interrupted {done}{failed}; {left}";
    }

    public static string Total(CopyReport report)
    {
        string unchanged = report.UnchangedFiles > 0 ? $"; {report.UnchangedFiles:#,0} unchanged, skipped" : "";
        string failed = report.Failed > 0 ? $"; {report.Failed:#,0} failed" : "";
        string interrupted = report.Interrupted ? "; interrupted" : "";
        string notBegun = report.NotBegun > 0 ? $"; {report.NotBegun:#,0} not begun" : "";
        return $"total: {Counted.Of(report.Files, "file")}, {Rate(report.Bytes, report.Seconds, report.CpuSeconds)}{unchanged}{failed}"
            + $"{interrupted}{notBegun}";
    }

    public static string Rate(long bytes, double seconds, double cpuSeconds, long? totalBytes = null)
    {
        string of = totalBytes is { } all ? $" of {ByteSize.Format(all)}" : "";
        string rate = bytes > 0 ? $", {ByteSize.Format((long)(CopyReport.Rate(bytes, seconds) * ByteSize.MiB))}/s" : "";
        return $"{ByteSize.Format(bytes)}{of} in {seconds:0.00} s{rate}, CPU {cpuSeconds:0.00} s";
    }
}
