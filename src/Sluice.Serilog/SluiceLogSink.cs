using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting;

namespace Sluice.Serilog;

/// <summary>
/// Appends Serilog events to a <see cref="SluiceLog"/> as text: with a line ending in a raw log, and as a record without one in a
/// framed log.
/// </summary>
/// <remarks>
/// <para>All members are thread-safe. Threads format their events in parallel.</para>
/// <para>
/// If an event cannot be appended, the exception is thrown. Serilog passes it to its SelfLog or, for an audit sink, to the caller. If
/// the log's memory is full, <see cref="SluiceLogOptions.WaitWhenFull"/> determines whether the call waits or fails.
/// </para>
/// </remarks>
public sealed class SluiceLogSink : ILogEventSink, IDisposable, IAsyncDisposable
{
    private readonly SluiceLog _log;
    private readonly ITextFormatter _formatter;
    private readonly LogEventLevel _flushOn;
    private readonly bool _leaveOpen;
    private readonly bool _endsLines;
    private bool _isDisposed;

    /// <summary>Initializes a new instance of the <see cref="SluiceLogSink"/> class for an open log.</summary>
    /// <param name="log">The log. Other code can append to it as well.</param>
    /// <param name="formatter">
    /// The formatter that turns an event into text. It is called by several threads at once, as the formatters of Serilog permit.
    /// </param>
    /// <param name="flushOn">
    /// The minimum level of events that have at least the durability <see cref="LogDurability.Written"/> when the logging call returns;
    /// all events before them have it as well. Events below this level have the default durability of the log. The default is
    /// <see cref="LogEventLevel.Error"/>.
    /// </param>
    /// <param name="leaveOpen">
    /// <see langword="true"/> to leave the log open when the sink is disposed, after all events are written; <see langword="false"/> to
    /// close it. The default is <see langword="true"/>.
    /// </param>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="log"/> or <paramref name="formatter"/> is <see langword="null"/>.
    /// </exception>
    public SluiceLogSink(SluiceLog log, ITextFormatter formatter, LogEventLevel flushOn = LogEventLevel.Error, bool leaveOpen = true)
    {
        ArgumentNullException.ThrowIfNull(log);
        ArgumentNullException.ThrowIfNull(formatter);
        (_log, _formatter, _flushOn, _leaveOpen) = (log, formatter, flushOn, leaveOpen);
        _endsLines = log.Format == LogFormat.Raw;
    }

    /// <summary>Formats an event and appends it to the log.</summary>
    /// <param name="logEvent">The event.</param>
    /// <exception cref="ArgumentNullException"><paramref name="logEvent"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">
    /// The text of the event is longer than <see cref="SluiceLogOptions.MaxRecordBytes"/>.
    /// </exception>
    /// <exception cref="IOException">
    /// The event could not be written or made durable, or there is no space for it in the log's memory.
    /// </exception>
    /// <exception cref="InvalidOperationException">
    /// The calling thread holds an open <see cref="LogReservation"/> of the log.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The sink is disposed, or the log is closed.</exception>
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

    /// <summary>Writes all events. The log is also made durable and closed, unless it is to be left open.</summary>
    /// <remarks>Calling this method again has no effect.</remarks>
    /// <exception cref="IOException">An event could not be written or made durable.</exception>
    /// <exception cref="InvalidOperationException">
    /// The log stays open, and the calling thread holds an open <see cref="LogReservation"/> of it. Nothing is written, and the sink is
    /// not disposed.
    /// </exception>
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

    /// <summary>Writes all events asynchronously. The log is also made durable and closed, unless it is to be left open.</summary>
    /// <returns>A task that completes when the events are written and the log, if it is to be closed, is closed.</returns>
    /// <inheritdoc cref="Dispose"/>
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
