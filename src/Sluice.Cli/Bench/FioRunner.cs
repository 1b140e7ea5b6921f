using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Sluice.Cli.Bench;

/// <summary>Runs fio, if it is installed, to find the device's own limit.</summary>
internal sealed class FioRunner
{
    private const string FileOption = "--filename=";

    private FioRunner(string? version, string description)
    {
        IsAvailable = version is not null;
        Description = description;
    }

    public bool IsAvailable { get; }

    /// <summary>fio's version, or that it is not installed.</summary>
    public string Description { get; }

    public static async Task<FioRunner> DetectAsync(CancellationToken cancellationToken)
    {
        try
        {
            string version = (await RunAsync(["--version"], cancellationToken)).Trim();
            return new FioRunner(version, version);
        }
        catch (Exception e) when (e is Win32Exception or IOException)
        {
            return new FioRunner(null, "fio not installed");
        }
    }

    /// <param name="job">What to do.</param>
    /// <param name="file">A file of this size, or for a pass that writes one that is not there; it is gone afterwards.</param>
    /// <param name="sizeBytes">The file's size.</param>
    /// <param name="time">For how long, where the job is no pass.</param>
    /// <param name="cancellationToken">Ends fio.</param>
    /// <returns>The rate, and what was run, for a reader who wants to run it too.</returns>
    /// <exception cref="IOException">fio failed, or said nothing that can be read.</exception>
    public static async Task<(double Iops, string CommandLine)> MeasureIopsAsync(
        FioJob job, string file, long sizeBytes, TimeSpan time, CancellationToken cancellationToken)
    {
        using FioMemory? huge = FioMemory.TryReserve(job.RequestSizeBytes, job.Depth);
        string[] arguments = Arguments(job, file, sizeBytes, time, huge is not null);
        string output;
        try
        {
            output = await RunAsync(arguments, cancellationToken);
        }
        catch (IOException) when (huge is not null)
        {
            // Others may have taken the pages since.
            arguments = Arguments(job, file, sizeBytes, time, isHuge: false);
            output = await RunAsync(arguments, cancellationToken);
        }
        return (ParseIops(output, job.IsWrite), CommandLine(arguments));
    }

    /// <summary>As it is typed in the folder of the files.</summary>
    internal static string CommandLine(IEnumerable<string> arguments)
    {
        IEnumerable<string> typed = arguments.Select(
            a => a.StartsWith(FileOption, StringComparison.Ordinal) ? FileOption + Path.GetFileName(a[FileOption.Length..]) : a);
        return $"fio {string.Join(' ', typed)}";
    }

    /// <summary>
    /// The option that names one file, by its whole path: fio takes what a colon parts as several files, unless a backslash stands before
    /// it; any other backslash is one of the name.
    /// </summary>
    internal static string FileArgument(string path) =>
        FileOption + Path.GetFullPath(path).Replace(":", @"\:", StringComparison.Ordinal);

    internal static string[] Arguments(FioJob job, string file, long sizeBytes, TimeSpan time, bool isHuge)
    {
        if (job.IsDurable)
            return
            [
                "--name=sluice-bench", FileArgument(file), $"--rw={job.ReadWrite}", Format($"--bs={job.RequestSizeBytes}"),
                "--ioengine=psync", "--fdatasync=1", Format($"--size={sizeBytes}"), "--fallocate=native", "--unlink=1", "--time_based",
                Format($"--runtime={time.TotalMilliseconds:0}ms"), "--thread", "--output-format=json",
            ];
        string[] extent = !job.IsPass
            ? ["--time_based", Format($"--runtime={time.TotalMilliseconds:0}ms"), "--norandommap", "--randrepeat=0"]
            : job.IsWrite ? ["--fallocate=native", "--end_fsync=1", "--unlink=1"] : [];
        return
        [
            "--name=sluice-bench", FileArgument(file), $"--rw={job.ReadWrite}", Format($"--bs={job.RequestSizeBytes}"),
            Format($"--iodepth={job.Depth}"), "--ioengine=io_uring", "--direct=1",
            Format($"--size={sizeBytes}"), "--thread", "--output-format=json",
            .. isHuge ? ["--mem=mmaphuge"] : Array.Empty<string>(), .. extent,
            .. job.IsBatch
                ? [Format($"--iodepth_batch_submit={job.Depth}"), Format($"--iodepth_batch_complete_min={job.Depth}")]
                : Array.Empty<string>(),
        ];
    }

    internal static double ParseIops(string json, bool isWrite)
    {
        // fio may print notes ahead of the object.
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

    private static string Format(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    private static async Task<string> RunAsync(string[] arguments, CancellationToken cancellationToken)
    {
        var start = new ProcessStartInfo("fio") { UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (string argument in arguments)
            start.ArgumentList.Add(argument);
        using Process process = Process.Start(start) ?? throw new IOException("fio did not start");
        try
        {
            Task<string> error = process.StandardError.ReadToEndAsync(cancellationToken);
            string output = await process.StandardOutput.ReadToEndAsync(cancellationToken);
            await process.WaitForExitAsync(cancellationToken);
            // Ctrl-C in a terminal reaches fio too, which then fails.
            cancellationToken.ThrowIfCancellationRequested();
            return process.ExitCode == 0
                ? output
                : throw new IOException($"fio failed with exit code {process.ExitCode}: {(await error).Split('\n')[0]}");
        }
        finally
        {
            if (!process.HasExited)
                process.Kill(entireProcessTree: true);
        }
    }
}
