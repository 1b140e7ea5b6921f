using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Sluice.Cli.Terminal;

/// <summary>
/// Ctrl-C, SIGTERM and a closed terminal end the work in an orderly way; another signal, later, ends the process immediately.
/// </summary>
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
    /// While a question waits for its answer, or a list for the process that writes it to a pipe, no work has begun: a signal ends the
    /// process immediately.
    /// </summary>
    public static bool IsAsking
    {
        get => s_isAsking;
        set => s_isAsking = value;
    }

    /// <summary>Returns true if this process has received a signal.</summary>
    public static bool IsInterrupted => s_isInterrupted;

    /// <summary>Reads required input before the work begins. It may be a pipe without a writer.</summary>
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

    /// <summary>Set after a signal.</summary>
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
