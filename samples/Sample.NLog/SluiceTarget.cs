using System.Text;
using NLog;
using NLog.Common;
using NLog.Targets;

/// <summary>Appends each event's layout as a line.</summary>
[Target("Sluice")]
internal sealed class SluiceTarget : TargetWithLayout
{
    private readonly Lock _reopening = new();
    private SluiceLog? _log;

    /// <summary>The log's folder.</summary>
    public string? Directory { get; set; }

    /// <inheritdoc/>
    protected override void InitializeTarget()
    {
        base.InitializeTarget();
        _log = Open();
    }

    /// <inheritdoc/>
    protected override void CloseTarget()
    {
        _log?.Dispose();
        base.CloseTarget();
    }

    /// <summary>What was logged before is with the operating system when <see cref="LogManager.Flush()"/> returns.</summary>
    protected override void FlushAsync(AsyncContinuation asyncContinuation)
    {
        Exception? error = null;
        try
        {
            _log?.Flush(LogDurability.Written);
        }
        catch (Exception e)
        {
            error = e;
        }

        asyncContinuation(error);
    }

    /// <inheritdoc/>
    protected override void Write(LogEventInfo logEvent)
    {
        // Not RenderLogEvent, which shares a buffer between calls and relies on the lock around a target's writes.
        byte[] line = Encoding.UTF8.GetBytes(Layout.Render(logEvent) + "\n");
        LogDurability durability = logEvent.Level >= LogLevel.Error ? LogDurability.Written : LogDurability.Buffered;
        SluiceLog log = _log!;
        try
        {
            log.Append(line, durability);
        }
        catch (Exception e) when (log.Failure is not null && e is IOException or ObjectDisposedException)
        {
            // A flush to the disk failed: that log accepts no more events, and a new one does.
            Reopen(log).Append(line, durability);
        }
    }

    /// <summary>One event, by the thread that logs it: without the lock that NLog has around a write, since a log needs none.</summary>
    protected override void WriteAsyncThreadSafe(AsyncLogEventInfo logEvent) => Write(logEvent);

    private SluiceLog Reopen(SluiceLog failed)
    {
        lock (_reopening)
        {
            if (_log == failed)
            {
                try
                {
                    failed.Dispose();
                }
                catch (IOException e)
                {
                    InternalLogger.Error(e, "Events were lost.");
                }

                _log = Open();
            }

            return _log!;
        }
    }

    private SluiceLog Open() => SluiceLog.Open(
        Directory ?? throw new NLogConfigurationException("a folder is missing"), new SluiceLogOptions { Format = LogFormat.Raw });
}
