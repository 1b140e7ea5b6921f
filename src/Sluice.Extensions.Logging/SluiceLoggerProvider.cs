using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>
/// Appends each event to a <see cref="SluiceLog"/>, as one JSON object: a line in a raw log, a record in a framed one. Names are those of
/// the compact log event format: "@t" time, "@l" level (none for Information), "@m" message, "@mt" its template, "@x" exception, "@i" the
/// event's number; "SourceContext" is the category, "EventName" the event's name, and the other names are of values of the event and of its
/// scopes.
/// </summary>
/// <remarks>
/// Thread-safe; threads format side by side. Logging does not throw because an event could not be written: what is lost is counted
/// (<see cref="LostEvents"/>) and told (<see cref="SluiceLoggerOptions.OnError"/>). A value that cannot be turned to text is replaced by a
/// text that says so; what the event's own formatter throws is thrown. An event that is longer than the log's records
/// (<see cref="SluiceLogOptions.MaxRecordBytes"/>), or than 100 million bytes, comes without its values, and its message cut;
/// "CutFromBytes" says how much of it had been written.
/// </remarks>
[ProviderAlias("Sluice")]
public sealed class SluiceLoggerProvider : ILoggerProvider, ISupportExternalScope, IAsyncDisposable
{
    /// <summary>The writer of JSON asks for up to 18 bytes for a character, and has no more than 2 GiB for an event.</summary>
    private const int MaxEventBytes = 100_000_000;

    /// <summary>Up to here an event that is cut says how long the whole would have been.</summary>
    private const int MinEventBytes = 16 * 1024 * 1024;

    /// <summary>Whether this thread is within somebody's <see cref="SluiceLoggerOptions.OnError"/>: one that logs, to whatever provider,
    /// and is told of that loss as well would go on so until the stack is full.</summary>
    [ThreadStatic]
    private static bool t_isTelling;

    private readonly SluiceLoggerOptions _options;
    private readonly LogLevel _flushOn;
    private readonly Action<Exception>? _onError;
    private readonly bool _leaveOpen;
    private readonly int _maxRecordBytes;
    private long _lostEvents;
    private Exception? _lastError;
    private bool _isDisposed;

    /// <summary>Opens a log of its own, which is closed with the provider.</summary>
    /// <param name="directory">The log's folder.</param>
    /// <param name="options">Null for the defaults.</param>
    /// <inheritdoc cref="SluiceLog.Open"/>
    public SluiceLoggerProvider(string directory, SluiceLoggerOptions? options = null)
        : this(SluiceLog.Open(directory, options?.Log ?? DefaultLog()), options, leaveOpen: false)
    {
    }

    /// <summary>Appends to a log of the caller's.</summary>
    /// <param name="log">Others may append to it as well.</param>
    /// <param name="options">Null for the defaults; those of the log are not read.</param>
    /// <param name="leaveOpen">Whether disposing the provider only writes what is there (true), or closes the log.</param>
    public SluiceLoggerProvider(SluiceLog log, SluiceLoggerOptions? options = null, bool leaveOpen = true)
    {
        ArgumentNullException.ThrowIfNull(log);
        (Log, _leaveOpen, _options) = (log, leaveOpen, options ?? new SluiceLoggerOptions());
        (_flushOn, _onError) = (_options.FlushOn, _options.OnError);
        _maxRecordBytes = Math.Min(log.MaxRecordBytes, MaxEventBytes);
        Format = new EventFormat(
            _options.TimeProvider ?? TimeProvider.System, _options.IncludeTemplate, _options.IncludeScopes,
            EndsLines: log.Format == LogFormat.Raw, Math.Max(_maxRecordBytes, MinEventBytes));
    }

    /// <summary>The log that events go to.</summary>
    public SluiceLog Log { get; }

    /// <summary>How many events could not be appended.</summary>
    public long LostEvents => Interlocked.Read(ref _lostEvents);

    /// <summary>The newest error with which an event was lost, or with which the log was closed; null where there was none.</summary>
    public Exception? LastError => Volatile.Read(ref _lastError);

    /// <summary>Whether a container disposes of it.</summary>
    internal bool IsContainerOwned { get; init; }

    internal EventFormat Format { get; }

    internal IExternalScopeProvider Scopes { get; private set; } = new LoggerExternalScopeProvider();

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName)
    {
        ArgumentNullException.ThrowIfNull(categoryName);
        return new SluiceLogger(this, categoryName);
    }

    /// <inheritdoc/>
    public void SetScopeProvider(IExternalScopeProvider scopeProvider)
    {
        ArgumentNullException.ThrowIfNull(scopeProvider);
        Scopes = scopeProvider;
    }

    /// <summary>
    /// Writes everything: a log of its own is made durable and closed, another one's stays open. Events that come later are lost, and
    /// counted.
    /// </summary>
    /// <exception cref="IOException">
    /// Something could not be written; a factory to which the provider was added (AddProvider) swallows it, and <see cref="LastError"/> has
    /// it. A provider of <c>AddSluice</c> does not throw it, since its container would leave others undisposed of:
    /// <see cref="SluiceLoggerOptions.OnError"/> is told.
    /// </exception>
    /// <exception cref="InvalidOperationException">The log stays open, and this thread has a reservation in it that it has neither
    /// committed nor disposed: nothing was written, and it can be disposed again. Told as the above.</exception>
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
                Log.Dispose();
            }
        }
        catch (ObjectDisposedException)
        {
            // Its owner closed it, which wrote everything.
        }
        catch (Exception e) when (e is IOException or InvalidOperationException)
        {
            if (IsToThrow(e))
            {
                throw;
            }
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
            await (_leaveOpen ? Log.FlushAsync(LogDurability.Written).AsTask() : Log.DisposeAsync().AsTask()).ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            // As above.
        }
        catch (Exception e) when (e is IOException or InvalidOperationException)
        {
            if (IsToThrow(e))
            {
                throw;
            }
        }
    }

    /// <summary>Appends what a writer holds.</summary>
    internal void Append(EventWriter writer, LogLevel level)
    {
        ReadOnlySpan<byte> record = writer.Record;
        if (record.Length > _maxRecordBytes)
        {
            record = writer.Shorten(_maxRecordBytes);
        }

        try
        {
            ObjectDisposedException.ThrowIf(Volatile.Read(ref _isDisposed), this);
            LogDurability durability = Log.DefaultDurability;
            if (level >= _flushOn && durability == LogDurability.Buffered)
            {
                durability = LogDurability.Written;
            }

            _ = Log.Append(record, durability);
        }
        catch (Exception e) when (e is IOException or InvalidOperationException or ArgumentException or UnauthorizedAccessException)
        {
            Volatile.Write(ref _lastError, e);
            Interlocked.Increment(ref _lostEvents);
            Tell(e);
        }
    }

    /// <summary>Of an error of <see cref="Dispose"/>, which is noted.</summary>
    private bool IsToThrow(Exception error)
    {
        // What was refused for a reservation of this thread can be asked for again; events of others are lost meanwhile.
        Volatile.Write(ref _isDisposed, error is IOException);
        Volatile.Write(ref _lastError, error);
        if (IsContainerOwned)
        {
            Tell(error);
        }

        return !IsContainerOwned;
    }

    private void Tell(Exception error)
    {
        if (_onError is null || t_isTelling)
        {
            return;
        }

        t_isTelling = true;
        try
        {
            _onError(error);
        }
        finally
        {
            t_isTelling = false;
        }
    }

    private static SluiceLogOptions DefaultLog() => new()
    {
        Format = LogFormat.Raw,
        Durability = LogDurability.Buffered,
        DisposeOnProcessExit = true,
    };
}
