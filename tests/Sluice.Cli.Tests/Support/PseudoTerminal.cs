using System.Text.RegularExpressions;

namespace Sluice.Cli.Tests.Support;

/// <summary>Runs the tool in a terminal of a given width, by script(1), and reads what its screen got.</summary>
internal static partial class PseudoTerminal
{
    public static bool IsHere => OperatingSystem.IsLinux() && Shell.Run("script", "--version").ExitCode == 0;

    /// <returns>The exit code, and each line that was drawn, those of the progress too, without colours.</returns>
    public static (int ExitCode, string[] Lines) Run(int columns, string folder, params string[] arguments) =>
        RunAs("xterm-256color", columns, folder, arguments);

    /// <param name="kind">TERM.</param>
    /// <inheritdoc cref="Run"/>
    public static (int ExitCode, string[] Lines) RunAs(string kind, int columns, string folder, params string[] arguments)
    {
        string tool = string.Join(' ', ((string[])[ToolProcess.DotnetPath, ToolProcess.ToolPath, .. arguments]).Select(Quoted));
        string line = $"cd {Quoted(folder)} && stty cols {columns} rows 50 && exec {tool}";
        (int exitCode, string output) = Shell.Run("env", $"TERM={kind}", "NO_COLOR=", "script", "-qefc", line, "/dev/null");
        string drawn = EscapeSequence().Replace(output.Replace("\e[2K", "\n", StringComparison.Ordinal), "");
        return (exitCode, drawn.Split(['\n', '\r'], StringSplitOptions.RemoveEmptyEntries));
    }

    private static string Quoted(string argument) => $"'{argument.Replace("'", @"'\''", StringComparison.Ordinal)}'";

    [GeneratedRegex(@"\e\[[0-9;?]*[A-Za-z]|\e[=>]|\e\][^\a]*\a", RegexOptions.None, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex EscapeSequence();
}
