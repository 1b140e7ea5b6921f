using System.Diagnostics;

namespace Sluice.Hostile.Tests.Support;

/// <summary>This test assembly as a program of its own (see Program.cs); ended violently at the latest when this is disposed.</summary>
internal sealed class Child : IDisposable
{
    private static readonly string[] Nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

    private readonly Process _process;
    private readonly Task<string> _errors;

    /// <param name="before">The command that runs it, such as setpriv and its options; may be empty.</param>
    /// <param name="environment">Variables that it gets.</param>
    /// <param name="arguments">What it is to do.</param>
    public Child(string[] before, (string Name, string Value)[] environment, params string[] arguments)
    {
        string host = Environment.ProcessPath is { } own && Path.GetFileName(own) == "dotnet" ? own : "dotnet";
        string[] all = [.. before, host, "exec", typeof(Child).Assembly.Location, .. arguments];
        ProcessStartInfo start = new(all[0], all[1..])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        _process = Process.Start(start)!;
        _errors = _process.StandardError.ReadToEndAsync();
    }

    public StreamReader Output => _process.StandardOutput;

    /// <summary>What to put before a command to run it as nobody; the test is skipped where that cannot be.</summary>
    public static string[] AsNobodyOrSkip()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "only root can be another user");
        Skip.IfNot(File.Exists("/usr/bin/setpriv"), "there is no setpriv");
        using Child child = new(Nobody, [], "hello");
        Skip.If(child.Output.ReadLine() != "hello", $"another user cannot run the test program here: {child._errors.Result}");
        return Nobody;
    }

    /// <summary>Waits for its end: 0, or a failure with what it said.</summary>
    public async Task SucceedAsync()
    {
        using CancellationTokenSource patience = new(TimeSpan.FromMinutes(3));
        await using CancellationTokenRegistration _ = patience.Token.Register(_process.Kill);
        string output = await Output.ReadToEndAsync(CancellationToken.None);
        await _process.WaitForExitAsync(CancellationToken.None);
        _process.ExitCode.ShouldBe(0, output + await _errors);
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
