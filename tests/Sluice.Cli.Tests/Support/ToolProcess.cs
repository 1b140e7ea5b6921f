using System.Diagnostics;
using System.Globalization;
using Shouldly;

namespace Sluice.Cli.Tests.Support;

/// <summary>Runs the tool as a process of its own, for signals, other users and the current folder.</summary>
internal sealed class ToolProcess : IDisposable
{
    private readonly Process _process;
    private readonly Task<string> _out;
    private readonly Task<string> _error;

    private ToolProcess(Process process)
    {
        _process = process;
        _out = process.StandardOutput.ReadToEndAsync();
        _error = process.StandardError.ReadToEndAsync();
    }

    public int Id => _process.Id;

    public static string ToolPath => Path.Combine(AppContext.BaseDirectory, "Sluice.Cli.dll");

    public static string DotnetPath =>
        Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet";

    public static ToolProcess Start(string workingDirectory, params string[] arguments) => StartAs([], workingDirectory, arguments);

    /// <param name="wrapper">A command that runs the rest of its line, such as setpriv.</param>
    public static ToolProcess StartAs(string[] wrapper, string workingDirectory, params string[] arguments)
    {
        string[] line = [.. wrapper, DotnetPath, ToolPath, .. arguments];
        var start = new ProcessStartInfo(line[0])
        {
            WorkingDirectory = workingDirectory,
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (string argument in line.Skip(1))
            start.ArgumentList.Add(argument);
        Process process = Process.Start(start)!;
        process.StandardInput.Close();
        return new ToolProcess(process);
    }

    /// <summary>Waits until the process has read so many bytes by system calls: then it is measuring.</summary>
    public Task WaitUntilReadAsync(long bytes) => WaitUntilAsync(() => Counted("rchar:") >= bytes);

    /// <summary>Waits until the process has written so many bytes by system calls.</summary>
    public Task WaitUntilWrittenAsync(long bytes) => WaitUntilAsync(() => Counted("wchar:") >= bytes);

    private long Counted(string name)
    {
        string? line = File.ReadLines($"/proc/{_process.Id}/io").FirstOrDefault(l => l.StartsWith(name, StringComparison.Ordinal));
        return line is null ? 0 : long.Parse(line[name.Length..], CultureInfo.InvariantCulture);
    }

    /// <summary>Whether this kernel tells what a thread waits for.</summary>
    public static bool TellsWaits => Waits(Environment.ProcessId).Any(w => w is not ("" or "0"));

    /// <summary>Whether one of its threads waits for somebody else to open a pipe; that of .NET's diagnostics, which always does, left
    /// out.</summary>
    public bool IsInOpen() => Waits(_process.Id).Any(w => w is "wait_for_partner" or "fifo_open");

    private static IEnumerable<string> Waits(int process)
    {
        foreach (string thread in Directory.GetDirectories($"/proc/{process}/task"))
        {
            string waits = "";
            try
            {
                if (File.ReadAllText(Path.Combine(thread, "comm")).StartsWith(".NET DebugPipe", StringComparison.Ordinal))
                    continue;
                waits = File.ReadAllText(Path.Combine(thread, "wchan"));
            }
            catch (IOException)
            {
                // It has ended meanwhile.
            }
            yield return waits;
        }
    }

    public async Task WaitUntilAsync(Func<bool> condition)
    {
        while (!_process.HasExited)
        {
            if (condition())
                return;
            await Task.Delay(20);
        }
        throw new InvalidOperationException($"the tool ended early: {await _out} {await _error}");
    }

    public void Signal(params string[] names)
    {
        // One shell for all: the second of two must not come long after the first.
        string commands = string.Join(';', names.Select(n => $"kill -{n} {_process.Id}"));
        using Process shell = Process.Start("sh", ["-c", commands])!;
        shell.WaitForExit();
    }

    /// <summary>Waits for the end, which must be with this exit code.</summary>
    public async Task<ToolRun> EndAsync(int exitCode)
    {
        ToolRun run = await EndAsync();
        run.ExitCode.ShouldBe(exitCode, run.Error);
        return run;
    }

    public async Task<ToolRun> EndAsync()
    {
        await _process.WaitForExitAsync();
        return new ToolRun(_process.ExitCode, await _out, await _error);
    }

    public void Dispose()
    {
        if (!_process.HasExited)
            _process.Kill();
        _process.Dispose();
    }
}
