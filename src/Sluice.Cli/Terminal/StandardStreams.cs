using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Diagnostics;

namespace Sluice.Cli.Terminal;

/// <summary>
/// The streams of this process. A failed write does not end a command: it does its work and writes its results, and the error is printed at
/// the end. A descriptor that was closed when the process began may be used by the runtime now: it is neither read nor written.
/// </summary>
internal sealed class StandardStreams
{
    private const int BytesGathered = 64 * 1024;

    private readonly TellingStream _output;

    private StandardStreams(TellingStream output, TerminalStreams terminal) => (_output, Terminal) = (output, terminal);

    public TerminalStreams Terminal { get; }

    public static StandardStreams Open()
    {
        bool hasOutput = StandardDescriptor.IsInherited(1);
        var output = new TellingStream(hasOutput ? Console.OpenStandardOutput() : null);
        var error = new TellingStream(StandardDescriptor.IsInherited(2) ? Console.OpenStandardError() : null);
        // Colours and widths are asked of what .NET takes for the console.
        bool isUtf8 = IsUtf8Terminal();
        Console.SetOut(Text(output, isUtf8 || Console.IsOutputRedirected));
        Console.SetError(Text(error, isUtf8 || Console.IsErrorRedirected));
        return new StandardStreams(output, new TerminalStreams(Console.Out, Console.Error, TextReader.Null)
        {
            OpenIn = StandardDescriptor.IsInherited(0) ? static () => Console.In : null,
            OpenOutBytes = () =>
                new BufferedStream(new TellingStream(hasOutput ? OpenContent() : null) { Like = output }, BytesGathered),
            HasOutputFailed = () => output.Failure is not null,
            HasNoReader = () => hasOutput && StandardDescriptor.HasNoReader(1),
            IsOutputTerminal = !Console.IsOutputRedirected,
            IsErrorTerminal = !Console.IsErrorRedirected,
            IsInputTerminal = !Console.IsInputRedirected,
            IsUtf8 = isUtf8,
        });
    }

    /// <summary>Prints the errors of stdout.</summary>
    /// <param name="exitCode">What the command itself ended with.</param>
    /// <returns>What the process is to end with.</returns>
    public int End(int exitCode)
    {
        if (_output.Failure is not { } failure)
            return exitCode;
        Terminal.WriteError($"stdout: {failure}");
        return exitCode == ExitCode.Success ? ExitCode.IoError : exitCode;
    }

    // As POSIX defines it: the first of these variables that is set.
    private static bool IsUtf8Terminal()
    {
        string? locale = Array.Find(
            Array.ConvertAll(["LC_ALL", "LC_CTYPE", "LANG"], Environment.GetEnvironmentVariable), static v => !string.IsNullOrEmpty(v));
        return OperatingSystem.IsWindows() || Environment.GetEnvironmentVariable("TERM") != "dumb"
            && locale?.Replace("-", "", StringComparison.Ordinal).EndsWith("utf8", StringComparison.OrdinalIgnoreCase) == true;
    }

    private static StreamWriter Text(Stream stream, bool isUtf8) =>
        new(stream, OperatingSystem.IsWindows() ? Console.OutputEncoding
            : isUtf8 ? new UTF8Encoding(encoderShouldEmitUTF8Identifier: false) : Encoding.ASCII)
        {
            AutoFlush = true,
        };

    /// <summary>The console's own stream does not report that a pipe has no reader, so that `tail -f` would never end.</summary>
    private static Stream OpenContent()
    {
        if (OperatingSystem.IsWindows())
            return Console.OpenStandardOutput();
        var stream = new FileStream(new SafeFileHandle(1, ownsHandle: false), FileAccess.Write, bufferSize: 0);
        // A file may be written by others too, so its current position is used.
        return stream.CanSeek ? Console.OpenStandardOutput() : stream;
    }
}
