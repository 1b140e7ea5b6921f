using System.ComponentModel;
using System.Diagnostics;

namespace Sluice.Cli.Tests.Support;

/// <summary>A block device over a file, by losetup, which needs root.</summary>
internal sealed class LoopDevice : IDisposable
{
    private LoopDevice(string path) => Path = path;

    public string Path { get; }

    public static LoopDevice? TryAttach(string file, out string reason)
    {
        (int exitCode, string output) = Shell.Run("losetup", "--find", "--show", file);
        reason = exitCode == 0 ? "" : $"no loop device can be attached here: {output.Trim()}";
        return exitCode == 0 ? new LoopDevice(output.Trim()) : null;
    }

    public void Dispose() => Shell.Run("losetup", "--detach", Path);
}

/// <summary>Runs a small system command to its end.</summary>
internal static class Shell
{
    public static (int ExitCode, string Output) Run(string command, params string[] arguments)
    {
        var start = new ProcessStartInfo(command) { UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (string argument in arguments)
            start.ArgumentList.Add(argument);
        try
        {
            using Process process = Process.Start(start)!;
            Task<string> error = process.StandardError.ReadToEndAsync();
            string output = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            return (process.ExitCode, output + error.Result);
        }
        catch (Win32Exception e)
        {
            return (127, e.Message);
        }
    }
}
