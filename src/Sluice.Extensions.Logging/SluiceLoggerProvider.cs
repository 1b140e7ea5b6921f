using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>
/// Writes the events of <see cref="ILogger"/> to a <see cref="SluiceLog"/> as JSON objects. In a raw log, each event is a line. In a framed
/// log, each event is a record without a line ending.
/// </summary>
/// <remarks>
/// <para>All members are thread-safe. Threads format their events in parallel.</para>
/// <para>
/// The property names are those of the compact log event format: "@t" (time in UTC), "@l" (level; omitted for
/// <see cref="LogLevel.Information"/>), "@m" (message), "@mt" (message template), "@x" (exception) and "@i" (event ID; omitted for 0).
/// "SourceContext" is the category, and "EventName" is the name of the event. All other properties are the values of the event and of its
/// scopes. If the name of a value begins with "@", another "@" is added before it. If several values have the same name, the last one is
/// written; values of the event replace values of its scopes. A value cannot replace "SourceContext" or the name of the event.
/// </para>
/// <para>
/// A logging call does not throw an exception if its event cannot be written. The error is reported to
/// <see cref="SluiceLoggerOptions.OnError"/>. If the event is already in the memory of the log, it is written
/// when the disk has space again; otherwise it is lost and counted in <see cref="LostEvents"/>. If a value cannot be
/// converted to text, an error text is written instead. If the formatter that is passed to <see cref="ILogger.Log{TState}"/> throws an
/// exception, the exception is thrown to the caller.
/// </para>
/// <para>
/// If a flush to the disk fails (see <see cref="SluiceLog.Failure"/>) and the provider has opened the log itself, it closes the log and opens
/// the directory again. Events that were in memory are lost and counted. The event whose logging call
/// detected the failure is appended to the new log, and can be in the files twice.
/// </para>
/// <para>
/// An event that is longer than <see cref="SluiceLogOptions.MaxRecordBytes"/> or 100,000,000 bytes is written without its values and with a
/// shortened message. Such an event has a property "CutFromBytes".
/// </para>
/// <para>The name of the provider in configuration is "Sluice".</para>
/// </remarks>
[ProviderAlias("Sluice")]
public sealed class SluiceLoggerProvider : ILoggerProvider, ISupportExternalScope, IAsyncDisposable
{
    /// <summary>The maximum size of an event. The JSON writer reserves up to 18 bytes for a character and supports at most 2 GiB.</summary>
    private const int MaxEventBytes = 100_000_000;

    /// <summary>
    /// The size, in bytes, up to which the property "CutFromBytes" of a shortened event is the exact size of the complete event.
    /// </summary>
    private const int MinEventBytes = 16 * 1024 * 1024;

    /// <summary>
    /// True while this thread calls <see cref="SluiceLoggerOptions.OnError"/>. Prevents endless recursion if the delegate logs and that
    /// event is lost too.
    /// </summary>
    [ThreadStatic]
    private static bool t_isReporting;

    private readonly ReopeningLog _log;
    private readonly SluiceLoggerOptions _options;
    private readonly LogLevel _flushOn;
    private readonly Action<Exception>? _onError;
    private readonly bool _leaveOpen;
    private readonly int _maxRecordBytes;
    private long _lostEvents;
    private Exception? _lastError;
    private bool _isDisposed;

    /// <summary>
    /// Initializes a new instance of the <see cref="SluiceLoggerProvider"/> class and opens a log. The log is closed when the provider is
    /// disposed.
    /// </summary>
    /// <param name="path">
    /// The path of the log's directory; or, if it ends with ".log", ".txt", ".json", ".jsonl", ".ndjson" or ".clef" and is not an existing
    /// directory, the name of the files of a raw log. For "logs/app-.txt", a file in the directory "logs" is named like
    /// "app-20301231-0000000001.txt", and a new file is started every day (UTC).
    /// </param>
    /// <param name="options">The options of the provider, or <see langword="null"/> (the default) for the default options.</param>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">
    /// <paramref name="path"/> is empty, or an option of the log has an invalid value.
    /// </exception>
    /// <exception cref="SluiceLogDamagedException">The log is damaged, or records that had been made durable are missing.</exception>
    /// <exception cref="IOException">
    /// The framed log is already open for appending, the operating system reported an error, or a thread could not be started.
    /// </exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to write to the directory or to one of the files.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The options specify a compressed raw log, and the operating system is not Linux.
    /// </exception>
    public SluiceLoggerProvider(string path, SluiceLoggerOptions? options = null)
        : this(new ReopeningLog(path, options?.Log ?? new SluiceTextLogOptions()), options, leaveOpen: false)
    {
    }

    /// <summary>Initializes a new instance of the <see cref="SluiceLoggerProvider"/> class for an open log.</summary>
    /// <param name="log">The log. Other code can append to it as well.</param>
    /// <param name="options">
    /// The options of the provider, or <see langword="null"/> (the default) for the default options. <see cref="SluiceLoggerOptions.Log"/>
    /// is ignored.
    /// </param>
    /// <param name="leaveOpen">
    /// <see langword="true"/> (the default) to leave the log open when the provider is disposed; <see langword="false"/> to close it.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="log"/> is <see langword="null"/>.</exception>
    public SluiceLoggerProvider(SluiceLog log, SluiceLoggerOptions? options = null, bool leaveOpen = true)
        : this(new ReopeningLog(log ?? throw new ArgumentNullException(nameof(log))), options, leaveOpen)
    {
    }

    private SluiceLoggerProvider(ReopeningLog log, SluiceLoggerOptions? options, bool leaveOpen)
    {
        (_log, _leaveOpen, _options) = (log, leaveOpen, options ?? new SluiceLoggerOptions());
        (_flushOn, _onError) = (_options.FlushOn, _options.OnError);
        _maxRecordBytes = Math.Min(Log.MaxRecordBytes, MaxEventBytes);
        Format = new EventFormat(
            _options.TimeProvider ?? TimeProvider.System, _options.IncludeTemplate, _options.IncludeScopes,
            EndsLines: Log.Format == LogFormat.Raw, Math.Max(_maxRecordBytes, MinEventBytes));
    }

    /// <summary>Gets the log to which events are appended.</summary>
    /// <remarks>The value changes if the provider opens the log again after a failed flush to the disk.</remarks>
    public SluiceLog Log => _log.Current;

    /// <summary>
    /// Gets the number of events that could not be appended, or that were not written when the provider closed the log.
    /// </summary>
    public long LostEvents => Interlocked.Read(ref _lostEvents);

    /// <summary>
    /// Gets the most recent error that caused the loss of an event or occurred when the provider was disposed, or
    /// <see langword="null"/> if there was none.
    /// </summary>
    public Exception? LastError => Volatile.Read(ref _lastError);

    /// <summary>Gets a value that indicates whether a service container disposes the provider.</summary>
    internal bool IsContainerOwned { get; init; }

    internal EventFormat Format { get; }

    internal IExternalScopeProvider Scopes { get; private set; } = new LoggerExternalScopeProvider();

    /// <summary>Creates a logger that appends the events of a category.</summary>
    /// <param name="categoryName">The category, which events contain as "SourceContext".</param>
    /// <returns>A thread-safe logger. It is enabled for all levels except <see cref="LogLevel.None"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="categoryName"/> is <see langword="null"/>.</exception>
    public ILogger CreateLogger(string categoryName)
    {
        ArgumentNullException.ThrowIfNull(categoryName);
        return new SluiceLogger(this, categoryName);
    }

    /// <summary>Sets the provider of the scopes of events. The logger factory calls this method.</summary>
    /// <param name="scopeProvider">The provider of the scopes.</param>
    /// <exception cref="ArgumentNullException"><paramref name="scopeProvider"/> is <see langword="null"/>.</exception>
    public void SetScopeProvider(IExternalScopeProvider scopeProvider)
    {
        ArgumentNullException.ThrowIfNull(scopeProvider);
        Scopes = scopeProvider;
    }

    /// <summary>
    /// Writes all events to the log. If <c>leaveOpen</c> is <see langword="false"/>, the log is also made durable and closed.
    /// </summary>
    /// <remarks>
    /// <para>Events that are logged later are lost and counted in <see cref="LostEvents"/>. Calling this method again has no effect.</para>
    /// <para>
    /// If the provider was added with <c>AddSluice</c>, this method does not throw these exceptions but calls
    /// <see cref="SluiceLoggerOptions.OnError"/>. If it was added with <c>AddProvider</c>, the logger factory ignores the exceptions. In
    /// all cases, <see cref="LastError"/> contains the error.
    /// </para>
    /// </remarks>
    /// <exception cref="IOException">An event could not be written or made durable.</exception>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, true))
        {
            return;
        }

        try
        {
            if (_leaveOpen)
            {
                Log.Flush(LogDurability.Written);
            }
            else
            {
                _log.Dispose();
            }
        }
        catch (ObjectDisposedException)
        {
            // The owner closed the log, which wrote all events.
        }
        catch (IOException e)
        {
            if (MustThrow(e))
            {
                throw;
            }
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
            await (_leaveOpen ? Log.FlushAsync(LogDurability.Written).AsTask() : Task.Run(_log.Dispose)).ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            // The owner closed the log, which wrote all events.
        }
        catch (IOException e)
        {
            if (MustThrow(e))
            {
                throw;
            }
        }
    }

    /// <summary>Appends the event of a writer.</summary>
    internal void Append(EventWriter writer, LogLevel level)
    {
        ReadOnlySpan<byte> record = writer.Record;
        if (record.Length > _maxRecordBytes)
        {
            record = writer.Shorten(_maxRecordBytes);
        }

        while (true)
        {
            SluiceLog log = Log;
            long sequence = 0;
            try
            {
                ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
                sequence = log.Append(record, LogDurability.Buffered);
                LogDurability durability = log.DefaultDurability;
                if (level >= _flushOn && durability == LogDurability.Buffered)
                {
                    durability = LogDurability.Written;
                }

                log.Flush(durability);
                return;
            }
            catch (Exception e) when (e is IOException or InvalidOperationException or ArgumentException or UnauthorizedAccessException)
            {
                long lost = 0;
                bool isReplaced = !Volatile.Read(ref _isDisposed) && _log.TryReplace(log, out lost);
                if (isReplaced && sequence > log.WrittenSequence)
                {
                    // This event was counted as lost, but is appended again.
                    lost--;
                }

                Interlocked.Add(ref _lostEvents, lost);
                if (isReplaced)
                {
                    if (lost > 0)
                    {
                        Volatile.Write(ref _lastError, e);
                        ReportError(e);
                    }

                    continue;
                }

                Volatile.Write(ref _lastError, e);
                if (sequence == 0)
                {
                    Interlocked.Increment(ref _lostEvents);
                }

                ReportError(e);
                return;
            }
        }
    }

    /// <summary>
    /// Records an error of <see cref="Dispose"/>. Returns true if it must be thrown, and false if it was passed to
    /// <see cref="SluiceLoggerOptions.OnError"/>.
    /// </summary>
    private bool MustThrow(IOException error)
    {
        Volatile.Write(ref _lastError, error);
        if (!_leaveOpen)
        {
            Interlocked.Add(ref _lostEvents, Log.NextSequence - 1 - Log.WrittenSequence);
        }

        if (IsContainerOwned)
        {
            ReportError(error);
        }

        return !IsContainerOwned;
    }

    private void ReportError(Exception error)
    {
        if (_onError is null || t_isReporting)
        {
            return;
        }

        t_isReporting = true;
        try
        {
            _onError(error);
        }
        finally
        {
            t_isReporting = false;
        }
    }
}
