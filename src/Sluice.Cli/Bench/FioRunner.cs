using System.Diagnostics;
using System.Text.Json;

namespace Sluice.Cli.Bench;

/// <summary>Runs fio, if it is installed, to find the device's own limit.</summary>
/// <param name="Description">The version of fio, or the statement that it is not installed.</param>
internal sealed record FioRunner(bool IsAvailable, string Description)
{
    private const string FileOption = "--filename=";

    // fio gets huge pages, as Sluice's buffers do: a device is up to three times as fast with one piece of memory instead of 256 pages.
    private const string MemorySetting = "GLIBC_TUNABLES";
    private const string HugePages = "glibc.malloc.hugetlb=1";

    public static FioRunner Detect()
    {
        try
        {
            return new FioRunner(true, SystemCommand.Read("fio", "--version").Trim());
        }
        catch (IOException)
        {
            return new FioRunner(false, "fio not installed");
        }
    }

    /// <param name="job">The load.</param>
    /// <param name="file">
    /// A file of this size. For a pass or a durable job that writes, a file that does not exist; fio deletes it afterwards.
    /// </param>
    /// <param name="sizeBytes">The size of the file, in bytes.</param>
    /// <param name="time">The duration of a job that is not a pass.</param>
    /// <returns>The rate, and a command line that repeats the measurement in the folder of the file.</returns>
    /// <exception cref="IOException">fio failed, or its output cannot be parsed.</exception>
    public static (double Iops, string CommandLine) MeasureIops(FioJob job, string file, long sizeBytes, TimeSpan time)
    {
        string[] arguments = Arguments(job, file, sizeBytes, time);
        string output = SystemCommand.Read(new ProcessStartInfo("fio", arguments) { Environment = { [MemorySetting] = HugePages } });
        IEnumerable<string> typed = arguments.Select(
            a => a.StartsWith(FileOption, StringComparison.Ordinal) ? FileOption + Path.GetFileName(a[FileOption.Length..]) : a);
        return (ParseIops(output, job.IsWrite), $"{MemorySetting}={HugePages} fio {string.Join(' ', typed)}");
    }

    /// <summary>
    /// Returns the option that names one file by its full path. fio splits names at colons unless a backslash precedes them; any other
    /// backslash is part of the name.
    /// </summary>
    internal static string FileArgument(string path) =>
        FileOption + Path.GetFullPath(path).Replace(":", @"\:", StringComparison.Ordinal);

    internal static string[] Arguments(FioJob job, string file, long sizeBytes, TimeSpan time)
    {
        string[] always =
        [
            "--name=sluice-bench", FileArgument(file), $"--rw={job.ReadWrite}", $"--bs={job.RequestSizeBytes}", $"--iodepth={job.Depth}",
            $"--size={sizeBytes}", "--thread", "--output-format=json",
        ];
        string[] timed = ["--time_based", $"--runtime={time.TotalMilliseconds:0}ms"];
        if (job.IsDurable)
            return [.. always, "--ioengine=psync", "--fdatasync=1", "--fallocate=native", "--unlink=1", .. timed];
        string[] extent = !job.IsPass ? [.. timed, "--norandommap", "--randrepeat=0"]
            : job.IsWrite ? ["--fallocate=native", "--end_fsync=1", "--unlink=1"] : [];
        string[] batch = job.IsBatch ? [$"--iodepth_batch_submit={job.Depth}", $"--iodepth_batch_complete_min={job.Depth}"] : [];
        return [.. always, "--ioengine=io_uring", "--direct=1", .. extent, .. batch];
    }

    internal static double ParseIops(string json, bool isWrite)
    {
        // fio may print notes before the object.
        int start = json.IndexOf('{', StringComparison.Ordinal);
        try
        {
            using JsonDocument document = JsonDocument.Parse(json.AsMemory(Math.Max(0, start)));
            return document.RootElement.GetProperty("jobs")[0].GetProperty(isWrite ? "write" : "read").GetProperty("iops").GetDouble();
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or IndexOutOfRangeException)
        {
            throw new IOException($"fio's output cannot be read: {e.Message}", e);
        }
    }

}
