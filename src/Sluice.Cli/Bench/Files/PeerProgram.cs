using System.ComponentModel;
using System.Diagnostics;

namespace Sluice.Cli.Bench.Files;

/// <summary>Programs of the system, run to their end: peers, and what prepares a slice.</summary>
internal static class PeerProgram
{
    /// <exception cref="IOException">It is not installed, or it failed.</exception>
    public static void Run(string name, params string[] arguments) => _ = Read(name, arguments);

    /// <summary>As <see cref="Run"/>; gives what the program wrote.</summary>
    /// <exception cref="IOException">It is not installed, or it failed.</exception>
    public static string Read(string name, params string[] arguments)
    {
        var start = new ProcessStartInfo(name, arguments) { UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardError = true };
        try
        {
            using Process process = Process.Start(start) ?? throw new IOException($"{name} could not be started");
            Task<string> error = process.StandardError.ReadToEndAsync();
            string output = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0 ? output : throw new IOException($"{name} ended with {process.ExitCode}: {error.GetAwaiter().GetResult().Trim()}");
        }
        catch (Win32Exception e)
        {
            throw new IOException($"{name} could not be started: {e.Message}", e);
        }
    }
}
