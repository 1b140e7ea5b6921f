using System.ComponentModel;
using System.Diagnostics;

namespace Sluice.Cli.Tests.Support;

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
