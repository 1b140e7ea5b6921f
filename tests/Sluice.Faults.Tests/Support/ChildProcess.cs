using System.Diagnostics;

namespace Sluice.Faults.Tests.Support;

/// <summary>A process of the helper program; ended violently at the latest when this is disposed.</summary>
internal sealed class ChildProcess : IDisposable
{
    private readonly Process _process;
    private readonly Task<string> _error;

    public ChildProcess(string? engine, params string[] arguments)
        : this(engine, [], arguments)
    {
    }

    /// <param name="engine">The engine that it is to use; null for its own choice.</param>
    /// <param name="before">The command that runs it, such as setpriv and its options; may be empty.</param>
    /// <param name="arguments">What it is to do.</param>
    public ChildProcess(string? engine, string[] before, string[] arguments)
    {
        string program = Path.Combine(AppContext.BaseDirectory, "Sluice.Faults.Child.dll");
        string host = Environment.ProcessPath is { } own && Path.GetFileName(own) == "dotnet" ? own : "dotnet";
        string[] all = [.. before, host, program, .. arguments];
        ProcessStartInfo start = new(all[0], all[1..])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        if (engine is not null)
        {
            start.Environment["SLUICE_ENGINE"] = engine;
        }

        _process = Process.Start(start)!;
        _error = _process.StandardError.ReadToEndAsync();
    }

    public StreamReader Output => _process.StandardOutput;

    public StreamWriter Input => _process.StandardInput;

    public int ExitCode => _process.ExitCode;

    public string Errors => _error.GetAwaiter().GetResult();

    /// <summary>What it said before it ended, for the message of a test that waited for more; empty while it runs.</summary>
    public string ExitedWithErrors() => _error.IsCompleted ? Errors : "";

    /// <summary>SIGKILL: nothing of the process runs after it.</summary>
    public void Kill() => _process.Kill();

    /// <summary>The rest of what it prints, and its end; a process that hangs is killed, and its exit code says so.</summary>
    public async Task<string[]> FinishAsync()
    {
        using CancellationTokenSource patience = new(TimeSpan.FromMinutes(3));
        await using CancellationTokenRegistration _ = patience.Token.Register(_process.Kill);
        string output = await _process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        await _process.WaitForExitAsync(CancellationToken.None);
        return output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }
}
