// A target for NLog over a log: threads append side by side, and errors are with the operating system when the call returns.
using System.Text;
using NLog;
using NLog.Common;
using NLog.Config;
using NLog.Targets;

string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-nlog");
try
{
    var configuration = new LoggingConfiguration();
    configuration.AddRuleForAllLevels(new SluiceTarget { Name = "sluice", Directory = directory, Layout = "${level} ${message}" });
    LogManager.Configuration = configuration;
    Logger logger = LogManager.GetLogger("sample");
    Parallel.For(0, 1000, i => logger.Info("order {0} was paid", i));
    logger.Error("the last one was not");
    LogManager.Shutdown();

    string[] lines = [.. Directory.GetFiles(directory).Order(StringComparer.Ordinal).SelectMany(File.ReadAllLines)];
    Console.WriteLine($"{lines.Length} lines, {lines.Distinct(StringComparer.Ordinal).Count()} of them different");
    return lines.Length == 1001 && lines.Distinct(StringComparer.Ordinal).Count() == 1001 ? 0 : 1;
}
finally
{
    Directory.Delete(directory, recursive: true);
}

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

    /// <inheritdoc/>
    protected override void WriteAsyncThreadSafe(AsyncLogEventInfo logEvent)
    {
        // Overridden in the place of Write, before which NLog takes a lock: a log needs none.
        string line = RenderLogEvent(Layout, logEvent.LogEvent) + "\n";
        bool isError = logEvent.LogEvent.Level >= LogLevel.Error;
        _log!.Append(Encoding.UTF8.GetBytes(line), isError ? LogDurability.Written : LogDurability.Buffered);
        logEvent.Continuation(null);
    }
}
