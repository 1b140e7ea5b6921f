using System.Text;
using Spectre.Console;

namespace Sluice.Cli.Terminal;

/// <summary>The streams of a command and their properties. Tests use their own streams.</summary>
/// <param name="OpenInput">
/// Opens the input. It is not opened before it is read, because opening the console takes long compared with a small command.
/// </param>
internal sealed record TerminalStreams(TextWriter Out, TextWriter Error, Func<TextReader> OpenInput)
{
    private readonly List<string> _lateErrors = [];
    private Stream? _buffered;

    /// <summary>The destination of <see cref="Out"/> for bytes that may not be text; null to write them as decoded text.</summary>
    public StandardStream? OutBytes { get; init; }

    /// <summary>Returns true if the output of <see cref="WriteContent"/> has no reader any more, or writes to stdout fail.</summary>
    public bool IsOutputClosed => OutBytes?.IsClosed == true;

    /// <summary>The messages of <see cref="TellAtEnd"/>.</summary>
    public IReadOnlyList<string> LateErrors => _lateErrors;

    /// <summary>The destination of results whose file is named "-".</summary>
    public TextWriter Results { get; init; } = Out;

    public bool IsOutputTerminal { get; init; }

    /// <summary>True if <see cref="Results"/> is a terminal. Set by <see cref="KeepingOutput"/>.</summary>
    public bool IsResultsTerminal { get; init; }

    public bool IsErrorTerminal { get; init; }

    public bool IsInputTerminal { get; init; }

    /// <summary>The width of the terminal in columns; null to ask the terminal.</summary>
    public int? Width { get; init; }

    /// <summary>True to print tables with all their columns, whatever the width of the terminal: --wide.</summary>
    public bool IsWide { get; init; }

    /// <summary>True if the terminal shows more than ASCII. Otherwise frames are ASCII.</summary>
    public bool IsUtf8 { get; init; } = true;

    /// <summary>True to use no colors, which is the default if the variable NO_COLOR is not empty (no-color.org).</summary>
    public bool NoColor { get; init; } = !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));

    /// <summary>Returns the same streams with stdout reserved for a result, so that text goes to stderr.</summary>
    public TerminalStreams KeepingOutput() => this with
    {
        Out = Error,
        Results = Out,
        IsResultsTerminal = IsOutputTerminal,
        IsOutputTerminal = IsErrorTerminal,
        OutBytes = null,
    };

    public IAnsiConsole AnsiOut() => Ansi(Out, IsOutputTerminal);

    public IAnsiConsole AnsiError() => Ansi(Error, IsErrorTerminal);

    /// <summary>Writes an empty line to the result.</summary>
    public void WriteLine() => Out.WriteLine();

    /// <summary>
    /// Writes a line of the result. In a terminal, it is broken at blanks; piped, it stays unbroken. Control characters become question
    /// marks.
    /// </summary>
    /// <param name="hang">The number of blanks before the second and later lines.</param>
    /// <param name="used">The number of columns of the first line that are already written.</param>
    public void WriteLine(string text, int hang = 0, int used = 0) =>
        WriteLine(Out, IsOutputTerminal && !IsWide, text, hang, used);

    /// <summary>
    /// Writes a record and a line end: if piped, byte by byte; in a terminal as UTF-8, without control characters other than tabs and line
    /// ends. Piped bytes are buffered until <see cref="FlushContent"/>.
    /// </summary>
    public void WriteContent(ReadOnlySpan<byte> bytes)
    {
        if (!IsOutputTerminal && OutBytes is { } output)
        {
            _buffered ??= output.ForBytes();
            _buffered.Write(bytes);
            _buffered.WriteByte((byte)'\n');
            return;
        }
        string text = Encoding.UTF8.GetString(bytes);
        Out.WriteLine(IsOutputTerminal ? TerminalText.PrintableContent(text) : text);
    }

    /// <summary>Writes text for programs unchanged; in a terminal, without control characters other than tabs and line ends.</summary>
    /// <param name="isResult">True for a result whose file is named "-".</param>
    public void WriteData(Action<TextWriter> write, bool isResult)
    {
        TextWriter writer = isResult ? Results : Out;
        if (!(isResult ? IsResultsTerminal : IsOutputTerminal))
        {
            write(writer);
            return;
        }
        var text = new StringWriter { NewLine = "\n" };
        write(text);
        writer.Write(TerminalText.PrintableContent(text.ToString()));
    }

    /// <summary>Writes the buffered bytes of <see cref="WriteContent"/>.</summary>
    public void FlushContent() => _buffered?.Flush();

    /// <summary>Writes a line to stderr that is not part of the result.</summary>
    public void WriteNotice(string text) => WriteLine(Error, IsErrorTerminal, text, hang: 0, used: 0);

    /// <summary>Writes an error as one line to stderr.</summary>
    public void WriteError(string message) => WriteNotice($"sluice: {message.ReplaceLineEndings(" ")}");

    /// <summary>Adds an error that is printed after the result. The exit code is then 1 instead of 0.</summary>
    public void TellAtEnd(string message) => _lateErrors.Add(message);

    /// <summary>Asks on stderr, so that a piped result stays unchanged. Any answer other than y or yes is no.</summary>
    public bool Confirm(string question)
    {
        string text = $"{TerminalText.Printable(question)} [y/N]";
        IEnumerable<string> lines =
            IsErrorTerminal ? TerminalText.Wrap(text, Ansi(Error, isTerminal: true).Profile.Width) : [text];
        Error.Write($"{string.Join(Error.NewLine, lines)} ");
        Error.Flush();
        string answer = InterruptSignals.WhileNothingHasBegun(OpenInput().ReadLine)?.Trim() ?? "";
        return answer.Equals("y", StringComparison.OrdinalIgnoreCase) || answer.Equals("yes", StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>Asks before a file of the user is changed.</summary>
    /// <param name="path">The file that stays unchanged without consent, for the error message.</param>
    /// <param name="refusal">The error message if standard input is not a terminal.</param>
    /// <exception cref="UsageException">Standard input is not a terminal, or the answer was no.</exception>
    public void RequireConsent(string path, string question, string refusal)
    {
        if (!IsInputTerminal)
            throw new UsageException(refusal);
        if (!Confirm(question))
            throw new UsageException($"{path} left as it was");
    }

    private void WriteLine(TextWriter writer, bool wraps, string text, int hang, int used)
    {
        text = TerminalText.Printable(text);
        foreach (string line in wraps ? TerminalText.Wrap(text, Ansi(writer, isTerminal: true).Profile.Width, hang, used) : [text])
            writer.WriteLine(line);
    }

    private IAnsiConsole Ansi(TextWriter writer, bool isTerminal)
    {
        IAnsiConsole console = AnsiConsole.Create(Settings(writer, isTerminal));
        console.Profile.Capabilities.Unicode = IsUtf8;
        if (Width is { } width)
            console.Profile.Width = width;
        return console;
    }

    private AnsiConsoleSettings Settings(TextWriter writer, bool isTerminal) => new()
    {
        Ansi = isTerminal ? AnsiSupport.Detect : AnsiSupport.No,
        ColorSystem = isTerminal && !NoColor ? ColorSystemSupport.Detect : ColorSystemSupport.NoColors,
        Interactive = isTerminal ? InteractionSupport.Detect : InteractionSupport.No,
        Out = new AnsiConsoleOutput(writer),
    };
}
