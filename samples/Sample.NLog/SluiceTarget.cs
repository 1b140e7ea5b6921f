using System.Text;
using NLog;
using NLog.Common;
using NLog.Targets;

/// <summary>Appends each event's layout as a line.</summary>
[Target("Sluice")]
internal sealed class SluiceTarget : TargetWithLayout
{
    private SluiceLog? _log;

    /// <summary>The log's folder.</summary>
    public string? Directory { get; set; }

    /// <inheritdoc/>
    protected override void InitializeTarget()
    {
        base.InitializeTarget();
        _log = SluiceLog.Open(
            Directory ?? throw new NLogConfigurationException("a folder is missing"), new SluiceLogOptions { Format = LogFormat.Raw });
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
        string line = Layout.Render(logEvent) + "\n";
        _log!.Append(Encoding.UTF8.GetBytes(line), logEvent.Level >= LogLevel.Error ? LogDurability.Written : LogDurability.Buffered);
    }

    /// <summary>One event, by the thread that logs it: without the lock that NLog has around a write, since a log needs none.</summary>
    protected override void WriteAsyncThreadSafe(AsyncLogEventInfo logEvent) => Write(logEvent);
}
