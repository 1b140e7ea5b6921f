using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sluice.Cli.Terminal;

/// <summary>Ctrl-C, SIGTERM and a closed terminal end the work in good order; another one, later, ends the process at once.</summary>
internal sealed class InterruptSignals : IDisposable
{
    // timeout(1) and some shells send the same signal twice, to the process and to its group.
    private static readonly TimeSpan SameSignal = TimeSpan.FromSeconds(2);

    private readonly CancellationTokenSource _cancellation = new();
    private readonly List<PosixSignalRegistration> _registrations = [];

    private static volatile bool s_isAsking;
    private static volatile bool s_isInterrupted;

    private long _firstTimestamp;

    public InterruptSignals()
    {
        foreach (PosixSignal signal in (ReadOnlySpan<PosixSignal>)[PosixSignal.SIGINT, PosixSignal.SIGTERM, PosixSignal.SIGHUP])
            _registrations.Add(PosixSignalRegistration.Create(signal, Handle));
    }

    /// <summary>
    /// While a question waits for its answer, or a list for whoever writes it into a pipe, nothing has begun that could end in good order:
    /// a signal ends the process.
    /// </summary>
    public static bool IsAsking
    {
        get => s_isAsking;
        set => s_isAsking = value;
    }

    /// <summary>Whether a signal came to this process.</summary>
    public static bool IsInterrupted => s_isInterrupted;

    /// <summary>Reads what has to be there before anything begins, and may be a pipe whose writer never comes.</summary>
    public static T WhileNothingHasBegun<T>(Func<T> read)
    {
        IsAsking = true;
        try
        {
            return read();
        }
        finally
        {
            IsAsking = false;
        }
    }

    public CancellationToken Token => _cancellation.Token;

    /// <summary>Set once a signal came.</summary>
    public int? ExitCode { get; private set; }

    public void Dispose()
    {
        foreach (PosixSignalRegistration registration in _registrations)
            registration.Dispose();
        _cancellation.Dispose();
    }

    private void Handle(PosixSignalContext context)
    {
        if (IsAsking)
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
