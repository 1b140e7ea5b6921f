using System.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>This tool as another process, for measurements in or beside a new process.</summary>
internal static class ThisTool
{
    private const string Assembly = "Sluice.Cli.dll";

    /// <summary>Runs it to its end.</summary>
    /// <returns>What it wrote.</returns>
    /// <exception cref="IOException">It could not be started, or it failed.</exception>
    public static string Read(params string[] arguments)
    {
        (string program, string[] all) = CommandLine(arguments);
        return SystemCommand.Read(program, all);
    }

    /// <summary>Starts it with its input and its output as pipes.</summary>
    /// <exception cref="IOException">It could not be started.</exception>
    public static Process Start(params string[] arguments)
    {
        (string program, string[] all) = CommandLine(arguments);
        var start = new ProcessStartInfo(program, all)
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        try
        {
            return Process.Start(start) ?? throw new IOException($"{program} could not be started");
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            throw new IOException($"{program} could not be started: {e.Message}", e);
        }
    }

    /// <summary>A published program starts itself; under the dotnet host, the host runs the assembly again.</summary>
    private static (string Program, string[] Arguments) CommandLine(string[] arguments)
    {
        string program = Environment.ProcessPath ?? throw new IOException("this process does not know its program");
        return Path.GetFileNameWithoutExtension(program) == "dotnet"
            ? (program, ["exec", Path.Combine(AppContext.BaseDirectory, Assembly), .. arguments])
            : (program, arguments);
    }
}
