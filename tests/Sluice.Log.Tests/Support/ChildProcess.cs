using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sluice.Log.Tests.Support;

/// <summary>This assembly as a second process; ended violently at the latest when this is disposed.</summary>
internal sealed partial class ChildProcess : IDisposable
{
    private const int SIGCONT = 18;
    private const int SIGSTOP = 19;

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(3);

    private readonly Process _process;
    private readonly Task<string> _error;

    public ChildProcess(params string[] arguments)
    {
        string host = Environment.ProcessPath is { } own && Path.GetFileNameWithoutExtension(own) == "dotnet" ? own : "dotnet";
        _process = Process.Start(new ProcessStartInfo(host, [typeof(ChildProcess).Assembly.Location, .. arguments])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        _error = _process.StandardError.ReadToEndAsync();
    }

    public StreamReader Output => _process.StandardOutput;

    public StreamWriter Input => _process.StandardInput;

    /// <summary>The next line that it prints; null at its end. A process that says nothing is killed.</summary>
    public async Task<string?> ReadLineAsync()
    {
        try
        {
            return await _process.StandardOutput.ReadLineAsync().WaitAsync(s_patience);
        }
        catch (TimeoutException)
        {
            _process.Kill();
            throw;
        }
    }

    /// <summary>SIGKILL: nothing of the process runs after it.</summary>
    public void Kill() => _process.Kill();

    /// <summary>The rest of what it prints, and its end; a process that hangs is killed, and its exit code says so.</summary>
    public async Task<(string[] Lines, int ExitCode, string Errors)> FinishAsync(TimeSpan? patienceOf = null)
    {
        using CancellationTokenSource patience = new(patienceOf ?? s_patience);
        await using CancellationTokenRegistration registration = patience.Token.Register(_process.Kill);
        string output = await _process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        await _process.WaitForExitAsync(CancellationToken.None);

        // A last line without its end was cut by the kill.
        int end = output.LastIndexOf('\n');
        return (output[..(end + 1)].Split('\n', StringSplitOptions.RemoveEmptyEntries), _process.ExitCode, await _error);
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
