using System.Diagnostics;

namespace Sluice.Tests.Support;

/// <summary>Starts this test assembly as a program of its own (see Program.cs).</summary>
internal static class ChildProcess
{
    public static Task<int> RunAsync(params string[] arguments) => RunAsync([], arguments);

    /// <summary>Returns the exit code; what the child complained about is in the exception when that is not 0 or 1.</summary>
    public static async Task<int> RunAsync((string Name, string Value)[] environment, string[] arguments)
    {
        // The host that runs this assembly, which may be of another version than the one in the path.
        string? host = Environment.ProcessPath;
        ProcessStartInfo start = new(Path.GetFileNameWithoutExtension(host) == "dotnet" ? host! : "dotnet")
        {
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        foreach (string argument in (string[])["exec", typeof(ChildProcess).Assembly.Location, .. arguments])
        {
            start.ArgumentList.Add(argument);
        }

        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        using Process process = Process.Start(start)!;
        string complaints = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        return process.ExitCode is 0 or 1
            ? process.ExitCode
            : throw new InvalidOperationException($"The child ended with {process.ExitCode}: {complaints}");
    }
}
