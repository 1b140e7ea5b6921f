using System.Globalization;
using System.Text.Json;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Files;

/// <summary>What the device gives when one file is read and another written at the same time: fio, direct, 1 MiB, depth 4 each.</summary>
internal static class FioCopy
{
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

    /// <summary>The time until both were done, by fio's own clock: its start is not the device's.</summary>
    /// <exception cref="IOException">fio is not installed, failed, or said nothing that can be read.</exception>
    public static TimeSpan Run(string source, string target, long sizeBytes)
    {
        string size = string.Create(CultureInfo.InvariantCulture, $"--size={sizeBytes}");
        string output = SystemCommand.Read(
            "fio", "--thread", "--ioengine=io_uring", "--direct=1", "--bs=1M", "--iodepth=4", size, "--output-format=json",
            "--name=read", $"--filename={source}", "--rw=read", "--name=write", $"--filename={target}", "--rw=write");
        return ParseTime(output);
    }

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
