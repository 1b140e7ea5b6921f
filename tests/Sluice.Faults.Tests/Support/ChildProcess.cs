using System.Diagnostics;
using Shouldly;

namespace Sluice.Faults.Tests.Support;

/// <summary>
/// A process of the helper program, or of this assembly where it is a program itself; ended violently at the latest when this is disposed.
/// </summary>
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
    /// <param name="environment">Variables that it gets.</param>
    public ChildProcess(string? engine, string[] before, string[] arguments, params (string Name, string Value)[] environment)
    {
        string helper = Path.Combine(AppContext.BaseDirectory, "Sluice.Faults.Child.dll");
        string program = File.Exists(helper) ? helper : typeof(ChildProcess).Assembly.Location;
        string host = Environment.ProcessPath is { } own && Path.GetFileName(own) == "dotnet" ? own : "dotnet";
        string[] all = [.. before, host, program, .. arguments];
        ProcessStartInfo start = new(all[0], all[1..])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        if (engine is not null)
        {
            start.Environment["SLUICE_ENGINE"] = engine;
        }

        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        _process = Process.Start(start)!;
        _error = _process.StandardError.ReadToEndAsync();
    }

    public StreamReader Output => _process.StandardOutput;

    public int ExitCode => _process.ExitCode;

    public string Errors => _error.GetAwaiter().GetResult();

    /// <summary>Has the helper program copy or replace once; what it says of it, or what it complained about.</summary>
    public static async Task<string> OnceAsync(string[] before, params string[] arguments)
    {
        using ChildProcess child = new(null, before, ["once", .. arguments]);
        string[] lines = await child.FinishAsync();
        return lines.Length == 1 ? lines[0] : child.Errors;
    }

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

    /// <summary>Waits for its end: 0, or a failure with what it said.</summary>
    public async Task SucceedAsync()
    {
        string[] output = await FinishAsync();
        ExitCode.ShouldBe(0, $"{string.Join('\n', output)} {Errors}");
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
