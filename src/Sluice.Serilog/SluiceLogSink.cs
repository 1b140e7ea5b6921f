using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting;

namespace Sluice.Serilog;

/// <summary>
/// Appends each event to a <see cref="SluiceLog"/>: as text with a line end in a raw log, as a record without one in a framed log.
/// </summary>
/// <remarks>
/// Thread-safe; threads format side by side, and none waits for another's formatting. What cannot be appended is thrown: Serilog passes it
/// to its SelfLog, or, of an audit sink, to the caller. When the log's memory is full a caller waits, or the append fails, as
/// <see cref="SluiceLogOptions.WaitWhenFull"/> says.
/// </remarks>
public sealed class SluiceLogSink : ILogEventSink, IDisposable, IAsyncDisposable
{
    private readonly SluiceLog _log;
    private readonly ITextFormatter _formatter;
    private readonly LogEventLevel _flushOn;
    private readonly bool _leaveOpen;
    private readonly bool _endsLines;
    private bool _isDisposed;

    /// <summary>Makes a sink for a log.</summary>
    /// <param name="log">Others may append to it as well.</param>
    /// <param name="formatter">How an event becomes text; called by several threads at once, as Serilog's own formatters may be.</param>
    /// <param name="flushOn">
    /// From this level on an event is with the operating system when the call returns, and all events before it; less important ones have
    /// the log's default durability.
    /// </param>
    /// <param name="leaveOpen">Whether disposing the sink only writes what is there (true), or closes the log.</param>
    public SluiceLogSink(SluiceLog log, ITextFormatter formatter, LogEventLevel flushOn = LogEventLevel.Error, bool leaveOpen = true)
    {
        ArgumentNullException.ThrowIfNull(log);
        ArgumentNullException.ThrowIfNull(formatter);
        (_log, _formatter, _flushOn, _leaveOpen) = (log, formatter, flushOn, leaveOpen);
        _endsLines = log.Format == LogFormat.Raw;
    }

    /// <summary>Formats an event and appends it.</summary>
    /// <exception cref="IOException">It could not be appended.</exception>
    /// <exception cref="InvalidOperationException">This thread has a reservation in the log that it has neither committed nor disposed.
    /// </exception>
    /// <exception cref="ArgumentException">It is longer than the log allows.</exception>
    /// <exception cref="ObjectDisposedException">The sink or the log is closed.</exception>
    public void Emit(LogEvent logEvent)
    {
        ArgumentNullException.ThrowIfNull(logEvent);
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
        EventText text = EventText.Rent();
        try
        {
            _formatter.Format(logEvent, text);
            LogDurability durability = _log.DefaultDurability;
            if (logEvent.Level >= _flushOn && durability == LogDurability.Buffered)
            {
                durability = LogDurability.Written;
            }

            _ = _log.Append(text.ToRecord(_endsLines), durability);
        }
        finally
        {
            text.Return();
        }
    }

    /// <summary>Writes everything: a log of its own is made durable and closed, another one's stays open.</summary>
    /// <exception cref="IOException">Something could not be written.</exception>
    /// <exception cref="InvalidOperationException">The log stays open, and this thread has a reservation in it that it has neither
    /// committed nor disposed: nothing was written, and it can be disposed again.</exception>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, true))
        {
            return;
        }

        if (!_leaveOpen)
        {
            _log.Dispose();
            return;
        }

        try
        {
            _log.Flush(LogDurability.Written);
        }
        catch (ObjectDisposedException)
        {
            // Its owner closed it, which wrote everything.
        }
        catch (InvalidOperationException)
        {
            // What was refused can be asked for again.
            Volatile.Write(ref _isDisposed, false);
            throw;
        }
    }

    /// <summary>As <see cref="Dispose"/>, without blocking the caller.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, true))
        {
            return;
        }

        try
        {
            await (_leaveOpen ? _log.FlushAsync(LogDurability.Written).AsTask() : _log.DisposeAsync().AsTask()).ConfigureAwait(false);
        }
        catch (ObjectDisposedException) when (_leaveOpen)
        {
            // As above.
        }
        catch (InvalidOperationException)
        {
            Volatile.Write(ref _isDisposed, false);
            throw;
        }
    }
}
