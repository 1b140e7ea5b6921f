using System.Diagnostics;
using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Bench;

/// <summary>
/// The first open and synchronous read of a process, from this tool started anew: what compiling and preparing costs whoever reads one
/// file and ends.
/// </summary>
internal static class FirstOpen
{
    /// <summary>The first argument of such a process; the others are the side and the file.</summary>
    public const string Argument = "first-open-of-a-process";

    /// <summary>Measures it in this process, and prints microseconds.</summary>
    /// <returns>The exit code.</returns>
    public static int Run(string side, string path)
    {
        byte[] buffer = new byte[4096];
        bool isSluice = side == "sluice";
        long begin = Stopwatch.GetTimestamp();
        int read = isSluice ? ReadBySluice(path, buffer) : ReadByDotNet(path, buffer);
        double us = Stopwatch.GetElapsedTime(begin).TotalMicroseconds;
        Console.WriteLine(us.ToString("0.0", CultureInfo.InvariantCulture));
        return read > 0 ? 0 : 1;
    }

    /// <summary>One such process after the other; its own figure counts, not its start.</summary>
    public static Contender Side(string name, string side, string path) => new(name, slice =>
    {
        TimeSpan elapsed = TimeSpan.Zero;
        do
        {
            elapsed += Measure(side, path);
            slice.Count(0);
        }
        while (!slice.IsOver);
        slice.Elapsed = elapsed;
        return Task.CompletedTask;
    })
    {
        RunsPrograms = true,
    };

    /// <exception cref="IOException">The process could not be started, or failed.</exception>
    public static TimeSpan Measure(string side, string path)
    {
        // A program of its own is started itself; what the host runs, by the host again.
        string program = Environment.ProcessPath ?? throw new IOException("this process does not know its program");
        string said = Path.GetFileNameWithoutExtension(program) == "dotnet"
            ? SystemCommand.Read(program, "exec", Path.Combine(AppContext.BaseDirectory, "Sluice.Cli.dll"), Argument, side, path)
            : SystemCommand.Read(program, Argument, side, path);
        return double.TryParse(said, CultureInfo.InvariantCulture, out double us)
            ? TimeSpan.FromMicroseconds(us)
            : throw new IOException($"a process that was to open a file said '{said.Trim()}'");
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
