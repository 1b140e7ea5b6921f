using Serilog.Configuration;
using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting;
using Serilog.Formatting.Display;
using Sluice;
using Sluice.Serilog;

namespace Serilog;

/// <summary>Adds a <see cref="SluiceLogSink"/> where Serilog is set up.</summary>
public static class SluiceLoggerConfigurationExtensions
{
    private const string DefaultTemplate = "{Timestamp:yyyy-MM-dd HH:mm:ss.fff zzz} [{Level:u3}] {Message:lj}{NewLine}{Exception}";

    /// <summary>Events go as text to a log of the sink's own, which is closed with the logger.</summary>
    /// <param name="sinks">WriteTo.</param>
    /// <param name="directory">The log's folder.</param>
    /// <param name="outputTemplate">How a line looks.</param>
    /// <param name="formatProvider">For numbers and times; null for the process's own.</param>
    /// <param name="options">Of the log; null for text (<see cref="LogFormat.Raw"/>), buffered, closed when the process ends.</param>
    /// <param name="flushOn">From this level on an event is with the operating system when the call returns.</param>
    /// <param name="restrictedToMinimumLevel">Less important events do not come here.</param>
    /// <param name="levelSwitch">The same, to be changed while it runs; null for none.</param>
    /// <inheritdoc cref="SluiceLog.Open"/>
    public static LoggerConfiguration SluiceLog(
        this LoggerSinkConfiguration sinks,
        string directory,
        string outputTemplate = DefaultTemplate,
        IFormatProvider? formatProvider = null,
        SluiceLogOptions? options = null,
        LogEventLevel flushOn = LogEventLevel.Error,
        LogEventLevel restrictedToMinimumLevel = LevelAlias.Minimum,
        LoggingLevelSwitch? levelSwitch = null) =>
        sinks.SluiceLog(
            new MessageTemplateTextFormatter(outputTemplate, formatProvider), directory, options, flushOn, restrictedToMinimumLevel,
            levelSwitch);

    /// <summary>Events go, by a formatter, to a log of the sink's own, which is closed with the logger.</summary>
    /// <param name="sinks">WriteTo.</param>
    /// <param name="formatter">How an event becomes text, for example <see cref="Formatting.Json.JsonFormatter"/>; called by several
    /// threads at once.</param>
    /// <param name="directory">The log's folder.</param>
    /// <param name="options">Of the log; null for text (<see cref="LogFormat.Raw"/>), buffered, closed when the process ends.</param>
    /// <param name="flushOn">From this level on an event is with the operating system when the call returns.</param>
    /// <param name="restrictedToMinimumLevel">Less important events do not come here.</param>
    /// <param name="levelSwitch">The same, to be changed while it runs; null for none.</param>
    /// <inheritdoc cref="SluiceLog.Open"/>
    public static LoggerConfiguration SluiceLog(
        this LoggerSinkConfiguration sinks,
        ITextFormatter formatter,
        string directory,
        SluiceLogOptions? options = null,
        LogEventLevel flushOn = LogEventLevel.Error,
        LogEventLevel restrictedToMinimumLevel = LevelAlias.Minimum,
        LoggingLevelSwitch? levelSwitch = null)
    {
        ArgumentNullException.ThrowIfNull(sinks);
        ArgumentNullException.ThrowIfNull(formatter);
        SluiceLog log = Sluice.SluiceLog.Open(directory, options ?? DefaultLog(LogDurability.Buffered));
        return sinks.Sink(new SluiceLogSink(log, formatter, flushOn, leaveOpen: false), restrictedToMinimumLevel, levelSwitch);
    }

    /// <summary>
    /// Each event is durable when the call returns, or the call throws: to a log of the sink's own, which is closed with the logger.
    /// </summary>
    /// <param name="sinks">AuditTo.</param>
    /// <param name="formatter">How an event becomes text; called by several threads at once.</param>
    /// <param name="directory">The log's folder.</param>
    /// <param name="options">
    /// Of the log, whose <see cref="SluiceLogOptions.Durability"/> holds; null for durable text (<see cref="LogFormat.Raw"/>).
    /// </param>
    /// <param name="restrictedToMinimumLevel">Less important events do not come here.</param>
    /// <param name="levelSwitch">The same, to be changed while it runs; null for none.</param>
    /// <inheritdoc cref="SluiceLog.Open"/>
    public static LoggerConfiguration SluiceLog(
        this LoggerAuditSinkConfiguration sinks,
        ITextFormatter formatter,
        string directory,
        SluiceLogOptions? options = null,
        LogEventLevel restrictedToMinimumLevel = LevelAlias.Minimum,
        LoggingLevelSwitch? levelSwitch = null)
    {
        ArgumentNullException.ThrowIfNull(sinks);
        ArgumentNullException.ThrowIfNull(formatter);
        SluiceLog log = Sluice.SluiceLog.Open(directory, options ?? DefaultLog(LogDurability.Durable));
        return sinks.Sink(
            new SluiceLogSink(log, formatter, LogEventLevel.Verbose, leaveOpen: false), restrictedToMinimumLevel, levelSwitch);
    }

    private static SluiceLogOptions DefaultLog(LogDurability durability) => new()
    {
        Format = LogFormat.Raw,
        Durability = durability,
        DisposeOnProcessExit = true,
    };
}
