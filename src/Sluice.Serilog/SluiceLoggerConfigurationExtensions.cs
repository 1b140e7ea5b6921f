using Serilog.Configuration;
using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting;
using Serilog.Formatting.Display;
using Sluice;
using Sluice.Serilog;

namespace Serilog;

/// <summary>Provides extension methods that add a <see cref="SluiceLogSink"/> to a Serilog logger configuration.</summary>
/// <remarks>The methods change the logger configuration and are not thread-safe.</remarks>
public static class SluiceLoggerConfigurationExtensions
{
    private const string DefaultTemplate = "{Timestamp:yyyy-MM-dd HH:mm:ss.fff zzz} [{Level:u3}] {Message:lj}{NewLine}{Exception}";

    /// <summary>Writes events as text to a log of the sink's own, which is closed with the logger.</summary>
    /// <param name="sinks">The sink configuration, <see cref="LoggerConfiguration.WriteTo"/>.</param>
    /// <param name="directory">The path of the log's directory.</param>
    /// <param name="outputTemplate">
    /// The template of the text of an event. The default is
    /// <c>{Timestamp:yyyy-MM-dd HH:mm:ss.fff zzz} [{Level:u3}] {Message:lj}{NewLine}{Exception}</c>.
    /// </param>
    /// <param name="formatProvider">
    /// The provider of culture-specific formats for numbers and times, or <see langword="null"/> for the invariant culture. The default
    /// is <see langword="null"/>.
    /// </param>
    /// <param name="options">
    /// The options of the log. The default is <see langword="null"/>, which stands for a raw log (<see cref="LogFormat.Raw"/>) with the
    /// durability <see cref="LogDurability.Buffered"/> that is disposed when the process exits; all other options have their defaults.
    /// </param>
    /// <param name="flushOn">
    /// The minimum level of events that have at least the durability <see cref="LogDurability.Written"/> when the logging call returns;
    /// all events before them have it as well. Events below this level have the default durability of the log. The default is
    /// <see cref="LogEventLevel.Error"/>.
    /// </param>
    /// <param name="restrictedToMinimumLevel">
    /// The minimum level of events that are appended. It is ignored if <paramref name="levelSwitch"/> is set. The default is
    /// <see cref="LevelAlias.Minimum"/>.
    /// </param>
    /// <param name="levelSwitch">
    /// A switch that changes the minimum level at run time, or <see langword="null"/> for none. The default is <see langword="null"/>.
    /// </param>
    /// <returns>The logger configuration, so that calls can be chained.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sinks"/>, <paramref name="directory"/> or <paramref name="outputTemplate"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="directory"/> is empty, or an option has an invalid value.</exception>
    /// <exception cref="SluiceLogDamagedException">The log is damaged, or records that had been made durable are missing.</exception>
    /// <exception cref="IOException">
    /// Another writer has the framed log open, the operating system reported an error, or a thread for the log could not be started.
    /// </exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to write to the directory or to one of the files.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The options ask for a compressed raw log, and the operating system is not Linux.
    /// </exception>
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

    /// <summary>Writes events, as text from a formatter, to a log of the sink's own, which is closed with the logger.</summary>
    /// <param name="sinks">The sink configuration, <see cref="LoggerConfiguration.WriteTo"/>.</param>
    /// <param name="formatter">
    /// The formatter that turns an event into text, for example <see cref="Formatting.Json.JsonFormatter"/>. It is called by several
    /// threads at once.
    /// </param>
    /// <param name="directory">The path of the log's directory.</param>
    /// <param name="options">
    /// The options of the log. The default is <see langword="null"/>, which stands for a raw log (<see cref="LogFormat.Raw"/>) with the
    /// durability <see cref="LogDurability.Buffered"/> that is disposed when the process exits; all other options have their defaults.
    /// </param>
    /// <param name="flushOn">
    /// The minimum level of events that have at least the durability <see cref="LogDurability.Written"/> when the logging call returns;
    /// all events before them have it as well. Events below this level have the default durability of the log. The default is
    /// <see cref="LogEventLevel.Error"/>.
    /// </param>
    /// <param name="restrictedToMinimumLevel">
    /// The minimum level of events that are appended. It is ignored if <paramref name="levelSwitch"/> is set. The default is
    /// <see cref="LevelAlias.Minimum"/>.
    /// </param>
    /// <param name="levelSwitch">
    /// A switch that changes the minimum level at run time, or <see langword="null"/> for none. The default is <see langword="null"/>.
    /// </param>
    /// <returns>The logger configuration, so that calls can be chained.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sinks"/>, <paramref name="formatter"/> or <paramref name="directory"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="directory"/> is empty, or an option has an invalid value.</exception>
    /// <exception cref="SluiceLogDamagedException">The log is damaged, or records that had been made durable are missing.</exception>
    /// <exception cref="IOException">
    /// Another writer has the framed log open, the operating system reported an error, or a thread for the log could not be started.
    /// </exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to write to the directory or to one of the files.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The options ask for a compressed raw log, and the operating system is not Linux.
    /// </exception>
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
    /// Writes audit events to a log of the sink's own, which is closed with the logger. A logging call waits until its event is
    /// durable, and throws an exception if that fails.
    /// </summary>
    /// <param name="sinks">The sink configuration, <see cref="LoggerConfiguration.AuditTo"/>.</param>
    /// <param name="formatter">
    /// The formatter that turns an event into text, for example <see cref="Formatting.Json.JsonFormatter"/>. It is called by several
    /// threads at once.
    /// </param>
    /// <param name="directory">The path of the log's directory.</param>
    /// <param name="options">
    /// The options of the log. The default is <see langword="null"/>, which stands for a raw log (<see cref="LogFormat.Raw"/>) with the
    /// durability <see cref="LogDurability.Durable"/> that is disposed when the process exits; all other options have their defaults.
    /// With other options, a logging call waits for their durability, but at least for <see cref="LogDurability.Written"/>.
    /// </param>
    /// <param name="restrictedToMinimumLevel">
    /// The minimum level of events that are appended. It is ignored if <paramref name="levelSwitch"/> is set. The default is
    /// <see cref="LevelAlias.Minimum"/>.
    /// </param>
    /// <param name="levelSwitch">
    /// A switch that changes the minimum level at run time, or <see langword="null"/> for none. The default is <see langword="null"/>.
    /// </param>
    /// <returns>The logger configuration, so that calls can be chained.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sinks"/>, <paramref name="formatter"/> or <paramref name="directory"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="directory"/> is empty, or an option has an invalid value.</exception>
    /// <exception cref="SluiceLogDamagedException">The log is damaged, or records that had been made durable are missing.</exception>
    /// <exception cref="IOException">
    /// Another writer has the framed log open, the operating system reported an error, or a thread for the log could not be started.
    /// </exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to write to the directory or to one of the files.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">
    /// The options ask for a compressed raw log, and the operating system is not Linux.
    /// </exception>
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
