using System.Diagnostics;

namespace Sluice.Faults.Tests.Support;

/// <summary>A program of the system, run to its end.</summary>
internal static class Command
{
    public static bool Exists(string name) =>
        ((IEnumerable<string>)["/usr/bin", "/usr/sbin", "/bin", "/sbin"]).Any(folder => File.Exists(Path.Combine(folder, name)));

    /// <summary>Null when it succeeded, else what it said.</summary>
    public static string? TryRun(string name, params string[] arguments)
    {
        ProcessStartInfo start =
            new(name, arguments) { UseShellExecute = false, RedirectStandardError = true, RedirectStandardOutput = true };
        start.Environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin";
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        string error = process.StandardError.ReadToEnd();
        string text = output.GetAwaiter().GetResult() + error;
        process.WaitForExit();
        return process.ExitCode == 0 ? null : $"{name} {string.Join(' ', arguments)}: exit code {process.ExitCode}: {text.Trim()}";
    }

    /// <summary>What it printed.</summary>
    public static string Run(string name, params string[] arguments)
    {
        ProcessStartInfo start = new(name, arguments) { UseShellExecute = false, RedirectStandardOutput = true };
        start.Environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin";
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0
            ? output.Trim()
            : throw new InvalidOperationException($"{name} {string.Join(' ', arguments)}: exit code {process.ExitCode}");
    }
}
