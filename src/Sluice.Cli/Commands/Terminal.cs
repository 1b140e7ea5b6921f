using Spectre.Console;

namespace Sluice.Cli.Commands;

/// <summary>The streams a command talks to and what they are; tests hand in their own.</summary>
internal sealed class Terminal(TextWriter output, TextWriter error, TextReader input)
{
    public TextWriter Out { get; } = output;

    public TextWriter Error { get; } = error;

    public TextReader In { get; } = input;

    public bool IsOutputTerminal { get; init; }

    public bool IsErrorTerminal { get; init; }

    public bool IsInputTerminal { get; init; }

    /// <summary>NO_COLOR set to anything but the empty string turns colours off (no-color.org).</summary>
    public bool NoColor { get; init; } = !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));

    public static Terminal FromConsole() => new(Console.Out, Console.Error, Console.In)
    {
        IsOutputTerminal = !Console.IsOutputRedirected,
        IsErrorTerminal = !Console.IsErrorRedirected,
        IsInputTerminal = !Console.IsInputRedirected,
    };

    public IAnsiConsole AnsiOut() => Ansi(Out, IsOutputTerminal);

    public IAnsiConsole AnsiError() => Ansi(Error, IsErrorTerminal);

    /// <summary>Asks on stderr, so that a piped result stays clean; anything but y or yes is no.</summary>
    public bool Confirm(string question)
    {
        Error.Write($"{question} [y/N] ");
        Error.Flush();
        string answer = In.ReadLine()?.Trim() ?? "";
        return answer.Equals("y", StringComparison.OrdinalIgnoreCase) || answer.Equals("yes", StringComparison.OrdinalIgnoreCase);
    }

    private IAnsiConsole Ansi(TextWriter writer, bool isTerminal) => AnsiConsole.Create(new AnsiConsoleSettings
    {
        Ansi = isTerminal ? AnsiSupport.Detect : AnsiSupport.No,
        ColorSystem = isTerminal && !NoColor ? ColorSystemSupport.Detect : ColorSystemSupport.NoColors,
        Interactive = isTerminal ? InteractionSupport.Detect : InteractionSupport.No,
        Out = new AnsiConsoleOutput(writer),
    });
}
