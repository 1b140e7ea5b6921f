using System.Diagnostics;
using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Bench;

/// <summary>
/// The first open and synchronous read of a process, measured in a new process of this tool: the cost of compilation and initialization for
/// a program that reads one file and ends.
/// </summary>
internal static class FirstOpen
{
    /// <summary>The first argument of such a process. The other two are "sluice" or "dotnet", and the file.</summary>
    public const string Argument = "first-open-of-a-process";

    /// <summary>
    /// Measures the first open and read of this process, and prints the elapsed microseconds, the CPU microseconds and the allocated bytes.
    /// </summary>
    /// <returns>The exit code: 0, or 1 after a short read.</returns>
    public static int Run(string side, string path)
    {
        byte[] buffer = new byte[4096];
        bool isSluice = side == "sluice";
        long allocated = GC.GetTotalAllocatedBytes(precise: true);
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        long begin = Stopwatch.GetTimestamp();
        int read = isSluice ? ReadBySluice(path, buffer) : ReadByDotNet(path, buffer);
        TimeSpan elapsed = Stopwatch.GetElapsedTime(begin);
        cpu = Environment.CpuUsage.TotalTime - cpu;
        allocated = GC.GetTotalAllocatedBytes(precise: true) - allocated;
        Console.WriteLine($"{elapsed.TotalMicroseconds:0.0} {cpu.TotalMicroseconds:0.0} {allocated}");
        return read == buffer.Length ? 0 : 1;
    }

    /// <summary>
    /// Creates a contender that starts one such process after another. It counts the reported values, without the process start.
    /// </summary>
    public static Contender Side(string name, string side, string path) => new(name, slice => RunAsync(slice, side, path))
    {
        RunsPrograms = true,
    };

    private static Task RunAsync(Slice slice, string side, string path)
    {
        TimeSpan elapsed = TimeSpan.Zero;
        TimeSpan cpu = TimeSpan.Zero;
        do
        {
            (TimeSpan tookElapsed, TimeSpan tookCpu, long allocated) = Measure(side, path);
            elapsed += tookElapsed;
            cpu += tookCpu;
            slice.AllocatedBytes += allocated;
            slice.Count(0);
        }
        while (!slice.IsOver);
        (slice.Elapsed, slice.Cpu) = (elapsed, cpu);
        return Task.CompletedTask;
    }

    /// <exception cref="IOException">The process could not be started or failed, or its output cannot be parsed.</exception>
    public static (TimeSpan Elapsed, TimeSpan Cpu, long AllocatedBytes) Measure(string side, string path)
    {
        string said = ThisTool.Read(Argument, side, path);
        return said.Trim().Split(' ') is [var elapsed, var processor, var allocated]
            && double.TryParse(elapsed, CultureInfo.InvariantCulture, out double us)
            && double.TryParse(processor, CultureInfo.InvariantCulture, out double cpuUs)
            && long.TryParse(allocated, CultureInfo.InvariantCulture, out long bytes)
            ? (TimeSpan.FromMicroseconds(us), TimeSpan.FromMicroseconds(cpuUs), bytes)
            : throw new IOException($"the process that opens a file printed '{said.Trim()}'");
    }

    private static int ReadBySluice(string path, byte[] buffer)
    {
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read);
        return handle.Read(buffer, 0);
    }

    private static int ReadByDotNet(string path, byte[] buffer)
    {
        using SafeFileHandle handle = File.OpenHandle(path, FileMode.Open, FileAccess.Read);
        return RandomAccess.Read(handle, buffer, 0);
    }
}
