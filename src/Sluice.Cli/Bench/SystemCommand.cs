using System.ComponentModel;
using System.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>Runs a program of the system to its end: one that Sluice is compared with, or one that prepares a measurement.</summary>
internal static class SystemCommand
{
    /// <exception cref="IOException">It is not installed, or it failed.</exception>
    public static void Run(string name, params string[] arguments) => _ = Read(name, arguments);

    /// <summary>
    /// Waits until what was written to the file system of this folder is on the disk. Where sync(1) is not that of coreutils, all file
    /// systems are synchronized; where there is none, nothing is.
    /// </summary>
    public static void Sync(string folder)
    {
        if (OperatingSystem.IsWindows())
            return;
        try
        {
            Run("sync", "--file-system", folder);
        }
        catch (IOException)
        {
            Run("sync");
        }
    }

    /// <summary>As <see cref="Run"/>; gives what the program wrote.</summary>
    /// <exception cref="IOException">It is not installed, or it failed.</exception>
    public static string Read(string name, params string[] arguments)
    {
        var start = new ProcessStartInfo(name, arguments)
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        // Not every user's PATH has the folders that mkfs and losetup are in.
        start.Environment["PATH"] = $"{Environment.GetEnvironmentVariable("PATH")}:/usr/sbin:/sbin";
        try
        {
            using Process process = Process.Start(start) ?? throw new IOException($"{name} could not be started");
            Task<string> errors = process.StandardError.ReadToEndAsync();
            string output = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            if (process.ExitCode == 0)
                return output;
            string said = (errors.GetAwaiter().GetResult() + output).Trim().ReplaceLineEndings(" ");
            throw new IOException($"{name}: {(said.Length == 0 ? $"exit code {process.ExitCode}" : said)}");
        }
        catch (Win32Exception e)
        {
            throw new IOException($"{name} could not be started: {e.Message}", e);
        }
    }
}
