using System.Text;
using Sluice.Diagnostics;

namespace Sluice.Cli.Terminal;

/// <summary>
/// The standard streams of this process. A failed write does not end a command: the command completes its work, and the error is printed at
/// the end. A descriptor that was closed when the process began is neither read nor written, because the runtime may use its number.
/// </summary>
internal sealed class StandardStreams
{
    private readonly StandardStream _output;

    private StandardStreams(StandardStream output, TerminalStreams terminal) => (_output, Terminal) = (output, terminal);

    public TerminalStreams Terminal { get; }

    public static StandardStreams Open()
    {
        bool hasInput = StandardDescriptor.IsInherited(0);
        var output = new StandardStream(StandardDescriptor.IsInherited(1) ? Console.OpenStandardOutput() : null);
        var error = new StandardStream(StandardDescriptor.IsInherited(2) ? Console.OpenStandardError() : null);
        // The writers become those of Console, because .NET determines colors and widths from Console.
        bool isUtf8 = IsUtf8Terminal(Environment.GetEnvironmentVariable);
        Console.SetOut(Text(output, isUtf8 || Console.IsOutputRedirected));
        Console.SetError(Text(error, isUtf8 || Console.IsErrorRedirected));
        var terminal = new TerminalStreams(Console.Out, Console.Error, () => hasInput ? Console.In : TextReader.Null)
        {
            OutBytes = output,
            IsOutputTerminal = !Console.IsOutputRedirected,
            IsErrorTerminal = !Console.IsErrorRedirected,
            IsInputTerminal = !Console.IsInputRedirected,
            IsUtf8 = isUtf8,
        };
        return new StandardStreams(output, terminal);
    }

    /// <summary>Prints the error of stdout, if there is one.</summary>
    /// <param name="exitCode">The exit code of the command.</param>
    /// <returns>The exit code of the process, which is an I/O error instead of success if stdout has failed.</returns>
    public int End(int exitCode)
    {
        if (_output.Failure is not { } failure)
            return exitCode;
        Terminal.WriteError($"stdout: {failure}");
        return exitCode == ExitCode.Success ? ExitCode.IoError : exitCode;
    }

    /// <summary>
    /// Returns true if the terminal shows UTF-8, by the first variable of the locale that is set, as POSIX specifies, and TERM.
    /// </summary>
    internal static bool IsUtf8Terminal(Func<string, string?> variable)
    {
        string? locale = Array.Find(
            Array.ConvertAll<string, string?>(["LC_ALL", "LC_CTYPE", "LANG"], n => variable(n)), static v => !string.IsNullOrEmpty(v));
        // The character set comes before a modifier, as in ca_ES.UTF-8@valencia.
        string? set = locale?.Split('@')[0].Replace("-", "", StringComparison.Ordinal);
        return OperatingSystem.IsWindows()
            || (variable("TERM") != "dumb" && set?.EndsWith("utf8", StringComparison.OrdinalIgnoreCase) == true);
    }

    private static StreamWriter Text(Stream stream, bool isUtf8) =>
        new(stream, OperatingSystem.IsWindows() ? Console.OutputEncoding
            : isUtf8 ? new UTF8Encoding(encoderShouldEmitUTF8Identifier: false) : Encoding.ASCII)
        {
            AutoFlush = true,
        };
}
