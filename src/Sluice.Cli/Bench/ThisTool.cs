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
        return SystemCommand.Read(CommandLine(arguments));
    }

    /// <summary>Starts the tool with its standard input and output as pipes.</summary>
    /// <exception cref="IOException">The process could not be started.</exception>
    public static Process Start(params string[] arguments)
    {
        ProcessStartInfo start = CommandLine(arguments);
        start.RedirectStandardInput = true;
        start.RedirectStandardOutput = true;
        return SystemCommand.Start(start);
    }

    /// <summary>Returns the command line: a published program starts itself; otherwise, the dotnet host runs the assembly again.</summary>
    private static ProcessStartInfo CommandLine(string[] arguments)
    {
        string program = Environment.ProcessPath ?? throw new IOException("this process does not know its program");
        return new ProcessStartInfo(program, Path.GetFileNameWithoutExtension(program) == "dotnet"
            ? ["exec", Path.Combine(AppContext.BaseDirectory, Assembly), .. arguments]
            : arguments);
    }
}
