using System.Globalization;
using System.Text.Json;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Files;

/// <summary>What the device gives when one file is read and another written at the same time: fio, direct, 1 MiB, depth 4 each.</summary>
internal static class FioCopy
{
    private const int Depth = 4;

    /// <summary>Whether fio is installed and does it here.</summary>
    public static bool Works(string source)
    {
        string target = source + ".fio-probe";
        try
        {
            _ = Run(source, target, ByteSize.MiB);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
        finally
        {
            File.Delete(target);
        }
    }

    /// <summary>The time until both were done, by fio's own clock: its start is not the device's. And what was run.</summary>
    /// <exception cref="IOException">fio is not installed, failed, or said nothing that can be read.</exception>
    public static (TimeSpan Time, string CommandLine) Run(string source, string target, long sizeBytes)
    {
        // Sluice's requests lie in huge pages too.
        using FioMemory? huge = FioMemory.TryReserve(ByteSize.MiB, Depth, jobs: 2);
        string[] arguments = Arguments(source, target, sizeBytes, huge is not null);
        string output;
        try
        {
            output = SystemCommand.Read("fio", arguments);
        }
        catch (IOException) when (huge is not null)
        {
            // Others may have taken the pages since.
            arguments = Arguments(source, target, sizeBytes, isHuge: false);
            output = SystemCommand.Read("fio", arguments);
        }
        return (ParseTime(output), FioRunner.CommandLine(arguments));
    }

    internal static string[] Arguments(string source, string target, long sizeBytes, bool isHuge) =>
    [
        "--thread", "--ioengine=io_uring", "--direct=1", "--bs=1M",
        .. ((FormattableString[])[$"--iodepth={Depth}", $"--size={sizeBytes}"]).Select(a => a.ToString(CultureInfo.InvariantCulture)),
        .. isHuge ? ["--mem=mmaphuge"] : Array.Empty<string>(), "--output-format=json",
        "--name=read", FioRunner.FileArgument(source), "--rw=read", "--name=write", FioRunner.FileArgument(target), "--rw=write",
    ];

    internal static TimeSpan ParseTime(string json)
    {
        int start = json.IndexOf('{', StringComparison.Ordinal);
        try
        {
            using JsonDocument document = JsonDocument.Parse(json.AsMemory(Math.Max(0, start)));
            JsonElement jobs = document.RootElement.GetProperty("jobs");
            long milliseconds = Math.Max(
                jobs[0].GetProperty("read").GetProperty("runtime").GetInt64(),
                jobs[1].GetProperty("write").GetProperty("runtime").GetInt64());
            return TimeSpan.FromMilliseconds(Math.Max(1, milliseconds));
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or IndexOutOfRangeException)
        {
            throw new IOException($"fio's output cannot be read: {e.Message}", e);
        }
    }
}
