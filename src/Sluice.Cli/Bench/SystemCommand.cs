using System.ComponentModel;
using System.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>Runs another program and waits for its end: one that Sluice is compared with, or one that prepares a measurement.</summary>
internal static class SystemCommand
{
    /// <exception cref="IOException">The program could not be started, or failed.</exception>
    public static void Run(string name, params string[] arguments) => _ = Read(name, arguments);

    /// <summary>Runs a program and returns its standard output.</summary>
    /// <exception cref="IOException">The program could not be started, or failed.</exception>
    public static string Read(string name, params string[] arguments) => Read(new ProcessStartInfo(name, arguments));

    /// <inheritdoc cref="Read(string, string[])"/>
    public static string Read(ProcessStartInfo start)
    {
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        // The PATH of some users does not have the folders of mkfs.
        start.Environment["PATH"] = $"{Environment.GetEnvironmentVariable("PATH")}:/usr/sbin:/sbin";
        using Process process = Start(start);
        Task<string> errors = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode == 0)
            return output;
        string said = (errors.GetAwaiter().GetResult() is { Length: > 0 } error ? error : output).Trim().ReplaceLineEndings(" ");
        throw new IOException($"{start.FileName}: {(said.Length == 0 ? $"exit code {process.ExitCode}" : said)}");
    }

    /// <exception cref="IOException">The program could not be started.</exception>
    public static Process Start(ProcessStartInfo start)
    {
        try
        {
            return Process.Start(start) ?? throw new IOException($"{start.FileName} could not be started");
        }
        catch (Win32Exception e)
        {
            throw new IOException($"{start.FileName} could not be started: {e.Message}", e);
        }
    }
}
