using System.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>Starts this tool as another process, for measurements that need one.</summary>
internal static class ThisTool
{
    private const string Assembly = "Sluice.Cli.dll";

    /// <summary>Runs the tool and waits for its end.</summary>
    /// <returns>The standard output of the process.</returns>
    /// <exception cref="IOException">The process could not be started, or failed.</exception>
    public static string Read(params string[] arguments)
    {
        (string program, string[] all) = CommandLine(arguments);
        return SystemCommand.Read(program, all);
    }

    /// <summary>Starts the tool with its standard input and output as pipes.</summary>
    /// <exception cref="IOException">The process could not be started.</exception>
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

    /// <summary>Returns the command line: a published program starts itself; otherwise, the dotnet host runs the assembly again.</summary>
    private static (string Program, string[] Arguments) CommandLine(string[] arguments)
    {
        string program = Environment.ProcessPath ?? throw new IOException("this process does not know its program");
        return Path.GetFileNameWithoutExtension(program) == "dotnet"
            ? (program, ["exec", Path.Combine(AppContext.BaseDirectory, Assembly), .. arguments])
            : (program, arguments);
    }
}
