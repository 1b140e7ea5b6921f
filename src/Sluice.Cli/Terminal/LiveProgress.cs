using Spectre.Console;

namespace Sluice.Cli.Terminal;

/// <summary>
/// Shows a progress line on stderr if that is a terminal, and erases it before the result is printed. A terminal that cannot erase it
/// (TERM=dumb) gets a line every ten seconds.
/// </summary>
internal sealed class LiveProgress : IDisposable
{
    private const string Starting = "starting";

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(250);

    // If a line cannot be redrawn, each update is a new line.
    private static readonly TimeSpan PlainInterval = TimeSpan.FromSeconds(10);

    private readonly ManualResetEventSlim _ended = new();
    private readonly Task _display = Task.CompletedTask;
    private volatile Func<string> _line = () => Starting;

    public LiveProgress(TerminalStreams terminal, bool quiet)
    {
        if (quiet || !terminal.IsErrorTerminal)
            return;
        IAnsiConsole console = terminal.AnsiError();
        _display = Task.Factory.StartNew(
            () => Display(terminal, console), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>Sets the function that returns the line; it is called a few times a second, on another thread.</summary>
    public void Show(Func<string> line) => _line = line;

    public void Dispose()
    {
        _ended.Set();
        _display.GetAwaiter().GetResult();
        _ended.Dispose();
    }

    /// <summary>Returns the part of a line that fits after the spinner, because the rest of a wrapped line would not be erased.</summary>
    public static string Fit(string line, int columns)
    {
        int room = Math.Max(1, columns - 3);
        return TerminalText.Columns(line) <= room ? line : $"{TerminalText.Cut(line, room - 3)}...";
    }

    private void Display(TerminalStreams terminal, IAnsiConsole console)
    {
        if (!console.Profile.Capabilities.Ansi)
        {
            while (!_ended.Wait(PlainInterval))
                terminal.WriteNotice(Fit(_line(), console.Profile.Width));
            return;
        }
        console.Status().Spinner(Spinner.Known.Line).Start(Starting, context =>
        {
            while (!_ended.Wait(Interval))
            {
                string line = Fit(TerminalText.Printable(_line()), console.Profile.Width);
                // An empty line is replaced, because Spectre throws an exception for it.
                context.Status = Markup.Escape(line.Length > 0 ? line : Starting);
            }
        });
    }
}
