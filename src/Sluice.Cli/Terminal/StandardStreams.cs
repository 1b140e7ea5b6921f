using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Diagnostics;

namespace Sluice.Cli.Terminal;

/// <summary>
/// The standard streams of this process. A failed write does not end a command: the command completes its work, and the error is printed at
/// the end. A descriptor that was closed when the process began is neither read nor written, because the runtime may use its number.
/// </summary>
internal sealed class StandardStreams
{
    private const int BytesGathered = 64 * 1024;

    private readonly TellingStream _output;

    private StandardStreams(TellingStream output, TerminalStreams terminal) => (_output, Terminal) = (output, terminal);

    public TerminalStreams Terminal { get; }

    public static StandardStreams Open()
    {
        bool hasInput = StandardDescriptor.IsInherited(0);
        bool hasOutput = StandardDescriptor.IsInherited(1);
        var output = new TellingStream(hasOutput ? Console.OpenStandardOutput() : null);
        var error = new TellingStream(StandardDescriptor.IsInherited(2) ? Console.OpenStandardError() : null);
        // The writers become those of Console, because .NET determines colors and widths from Console.
        bool isUtf8 = IsUtf8Terminal(Environment.GetEnvironmentVariable);
        Console.SetOut(Text(output, isUtf8 || Console.IsOutputRedirected));
        Console.SetError(Text(error, isUtf8 || Console.IsErrorRedirected));
        var terminal = new TerminalStreams(Console.Out, Console.Error, () => hasInput ? Console.In : TextReader.Null)
        {
            OutBytes = new StandardOutput(
                () => new BufferedStream(new TellingStream(hasOutput ? OpenContent() : null) { Like = output }, BytesGathered),
                () => output.Failure is not null, () => hasOutput && StandardDescriptor.HasNoReader(1)),
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

    /// <summary>
    /// Opens stdout for <c>log</c>. The console's stream does not report that a pipe has no reader, and `tail -f` would never end.
    /// </summary>
    private static Stream OpenContent()
    {
        if (OperatingSystem.IsWindows())
            return Console.OpenStandardOutput();
        var stream = new FileStream(new SafeFileHandle(1, ownsHandle: false), FileAccess.Write, bufferSize: 0);
        // The console's stream is used for files, because it writes at the current position, which other processes may change.
        return stream.CanSeek ? Console.OpenStandardOutput() : stream;
    }
}
