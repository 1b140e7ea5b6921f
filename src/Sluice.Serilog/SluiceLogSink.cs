using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting;
using Sluice.Extensions.Logging;

namespace Sluice.Serilog;

/// <summary>
/// Appends Serilog events to a <see cref="SluiceLog"/> as text. In a raw log, each event ends with a line ending. In a framed log, each
/// event is a record without a line ending.
/// </summary>
/// <remarks>
/// <para>All members are thread-safe. Threads format their events in parallel.</para>
/// <para>
/// If an event cannot be appended, the sink throws an exception. Serilog passes the exception to its SelfLog or, for an audit sink, to the
/// caller. If the memory of the log is full, <see cref="SluiceLogOptions.WaitWhenFull"/> determines whether the call waits or fails.
/// </para>
/// <para>
/// If a flush to the disk fails (see <see cref="SluiceLog.Failure"/>) and the log was opened by <c>WriteTo.SluiceLog</c>, the sink closes the
/// log and opens the directory again. Events that were in memory are lost. The event whose logging call detected the failure is
/// appended to the new log, and can be in the files twice. An audit sink does not do this: its calls fail.
/// </para>
/// </remarks>
public sealed class SluiceLogSink : ILogEventSink, IDisposable, IAsyncDisposable
{
    private readonly ReopeningLog _log;
    private readonly ITextFormatter _formatter;
    private readonly LogEventLevel _flushOn;
    private readonly bool _leaveOpen;
    private readonly bool _endsLines;
    private bool _isDisposed;

    /// <summary>Initializes a new instance of the <see cref="SluiceLogSink"/> class for an open log.</summary>
    /// <param name="log">The log. Other code can append to it as well.</param>
    /// <param name="formatter">
    /// The formatter that converts an event to text. It must be thread-safe, because several threads call it at the same time.
    /// </param>
    /// <param name="flushOn">
    /// The minimum level of events for which the logging call waits until the operating system has the event
    /// (<see cref="LogDurability.Written"/>). Such an event and all events before it survive the end of the process. For events below this
    /// level, the call waits only for the default durability of the log. The default is <see cref="LogEventLevel.Error"/>.
    /// </param>
    /// <param name="leaveOpen">
    /// <see langword="true"/> (the default) to leave the log open when the sink is disposed; <see langword="false"/> to close it.
    /// </param>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="log"/> or <paramref name="formatter"/> is <see langword="null"/>.
    /// </exception>
    public SluiceLogSink(SluiceLog log, ITextFormatter formatter, LogEventLevel flushOn = LogEventLevel.Error, bool leaveOpen = true)
    {
        ArgumentNullException.ThrowIfNull(log);
        ArgumentNullException.ThrowIfNull(formatter);
        (_log, _formatter, _flushOn, _leaveOpen) = (new ReopeningLog(log), formatter, flushOn, leaveOpen);
        _endsLines = log.Format == LogFormat.Raw;
    }

    internal SluiceLogSink(ReopeningLog log, ITextFormatter formatter, LogEventLevel flushOn)
    {
        (_log, _formatter, _flushOn) = (log, formatter, flushOn);
        _endsLines = log.Current.Format == LogFormat.Raw;
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
    /// <exception cref="ObjectDisposedException">The sink is disposed, or the log is closed.</exception>
    public void Emit(LogEvent logEvent)
    {
        ArgumentNullException.ThrowIfNull(logEvent);
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
        EventText text = EventText.Rent();
        try
        {
            _formatter.Format(logEvent, text);
            Append(text.ToRecord(_endsLines), logEvent.Level);
        }
        finally
        {
            text.Return();
        }
    }

    /// <summary>
    /// Writes all events to the log. If <c>leaveOpen</c> is <see langword="false"/>, the log is also made durable and closed.
    /// </summary>
    /// <remarks>Calling this method again has no effect.</remarks>
    /// <exception cref="IOException">An event could not be written or made durable.</exception>
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
            _log.Current.Flush(LogDurability.Written);
        }
        catch (ObjectDisposedException)
        {
            // The owner closed the log, which wrote all events.
        }
    }

    /// <summary>
    /// Asynchronously writes all events to the log. If <c>leaveOpen</c> is <see langword="false"/>, the log is also made durable and
    /// closed.
    /// </summary>
    /// <returns>A task that completes when the events are written and, if requested, the log is closed.</returns>
    /// <inheritdoc cref="Dispose"/>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, true))
        {
            return;
        }

        try
        {
            await (_leaveOpen ? _log.Current.FlushAsync(LogDurability.Written).AsTask() : Task.Run(_log.Dispose)).ConfigureAwait(false);
        }
        catch (ObjectDisposedException) when (_leaveOpen)
        {
            // The owner closed the log, which wrote all events.
        }
    }

    private void Append(ReadOnlySpan<byte> record, LogEventLevel level)
    {
        bool isReplaced;
        do
        {
            isReplaced = false;
            SluiceLog log = _log.Current;
            LogDurability durability = log.DefaultDurability;
            if (level >= _flushOn && durability == LogDurability.Buffered)
            {
                durability = LogDurability.Written;
            }

            try
            {
                _ = log.Append(record, durability);
            }
            catch (Exception e) when ((e is IOException or ObjectDisposedException)
                && !Volatile.Read(ref _isDisposed) && _log.TryReplace(log, out _))
            {
                isReplaced = true;
            }
        }
        while (isReplaced);
    }
}
