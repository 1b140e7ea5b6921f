using System.ComponentModel;
using System.Diagnostics;

namespace Sluice.Cli.Programs;

/// <summary>Runs a small command of the system to its end.</summary>
internal static class SystemCommand
{
    /// <returns>Null where it went well, else what it said.</returns>
    public static string? TryRun(string command, params string[] arguments)
    {
        var start = new ProcessStartInfo(command) { UseShellExecute = false, RedirectStandardOutput = true, RedirectStandardError = true };
        // Not every user's PATH has the folders that mkfs and losetup are in.
        start.Environment["PATH"] = $"{Environment.GetEnvironmentVariable("PATH")}:/usr/sbin:/sbin";
        foreach (string argument in arguments)
            start.ArgumentList.Add(argument);
        try
        {
            using Process process = Process.Start(start) ?? throw new InvalidOperationException($"{command} did not start");
            Task<string> output = process.StandardOutput.ReadToEndAsync();
            string error = process.StandardError.ReadToEnd();
            process.WaitForExit();
            string said = (error + output.GetAwaiter().GetResult()).Trim().ReplaceLineEndings(" ");
            return process.ExitCode == 0 ? null : $"{command}: {(said.Length == 0 ? $"exit code {process.ExitCode}" : said)}";
        }
        catch (Win32Exception)
        {
            return $"{command} is not installed";
        }
    }
}
