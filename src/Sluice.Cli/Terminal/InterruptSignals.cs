using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sluice.Cli.Terminal;

/// <summary>
/// Cancels the work after Ctrl-C, SIGTERM or the end of the terminal, so that it ends in an orderly way. A later, second signal ends the
/// process immediately.
/// </summary>
internal sealed class InterruptSignals : IDisposable
{
    /// <summary>The number of SIGXFSZ on Linux and macOS.</summary>
    private const int FileSizeExceeded = 25;

    // Signals within this time count as one: timeout(1) and some shells send one signal to the process and to its group.
    private static readonly TimeSpan SameSignal = TimeSpan.FromSeconds(2);

    private readonly CancellationTokenSource _cancellation = new();
    private readonly List<PosixSignalRegistration> _registrations = [];

    // True while a command reads required input. No work has begun, so a signal ends the process immediately.
    private static volatile bool s_isReading;
    private static volatile bool s_isInterrupted;

    private long _firstTimestamp;

    public InterruptSignals()
    {
        foreach (PosixSignal signal in (ReadOnlySpan<PosixSignal>)[PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGHUP])
            _registrations.Add(PosixSignalRegistration.Create(signal, Handle));
        // A write beyond the limit of the file size (ulimit -f) then fails with an error, instead of ending the process.
        if (!OperatingSystem.IsWindows())
            _registrations.Add(PosixSignalRegistration.Create((PosixSignal)FileSizeExceeded, static context => context.Cancel = true));
    }

    /// <summary>Returns true if this process has received a signal.</summary>
    public static bool IsInterrupted => s_isInterrupted;

    /// <summary>Reads required input before the work begins: an answer, or a file that may be a pipe without a writer.</summary>
    public static T WhileNothingHasBegun<T>(Func<T> read)
    {
        s_isReading = true;
        try
        {
            return read();
        }
        finally
        {
            s_isReading = false;
        }
    }

    public CancellationToken Token => _cancellation.Token;

    /// <summary>The exit code after a signal; null if there was none.</summary>
    public int? ExitCode { get; private set; }

    public void Dispose()
    {
        foreach (PosixSignalRegistration registration in _registrations)
            registration.Dispose();
        _cancellation.Dispose();
    }

    private void Handle(PosixSignalContext context)
    {
        if (s_isReading)
            return;
        if (ExitCode is not null)
        {
            context.Cancel = Stopwatch.GetElapsedTime(_firstTimestamp) < SameSignal;
            return;
        }
        s_isInterrupted = true;
        _firstTimestamp = Stopwatch.GetTimestamp();
        ExitCode = context.Signal == PosixSignal.SIGTERM ? Terminal.ExitCode.Terminated : Terminal.ExitCode.Interrupted;
        context.Cancel = true;
        _cancellation.Cancel();
    }
}
