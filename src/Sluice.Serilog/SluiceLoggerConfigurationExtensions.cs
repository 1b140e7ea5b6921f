using Serilog.Configuration;
using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting;
using Serilog.Formatting.Display;
using Sluice;
using Sluice.Extensions.Logging;
using Sluice.Serilog;

namespace Serilog;

/// <summary>Provides extension methods that add a <see cref="SluiceLogSink"/> to a Serilog logger configuration.</summary>
/// <remarks>The methods are not thread-safe.</remarks>
public static class SluiceLoggerConfigurationExtensions
{
    private const string DefaultTemplate = "{Timestamp:yyyy-MM-dd HH:mm:ss.fff zzz} [{Level:u3}] {Message:lj}{NewLine}{Exception}";

    /// <summary>Opens a log and writes events to it as text. The log is closed when the logger is disposed.</summary>
    /// <param name="sinks">The sink configuration, <see cref="LoggerConfiguration.WriteTo"/>.</param>
    /// <param name="path">
    /// The path of the log's directory; or, if it ends with ".log", ".txt", ".json", ".jsonl", ".ndjson" or ".clef" and is not an existing
    /// directory, the name of the files of a raw log. For "logs/app-.txt", a file in the directory "logs" is named like
    /// "app-20301231-0000000001.txt", and a new file is started every day (UTC).
    /// </param>
    /// <param name="outputTemplate">
    /// The output template of Serilog that defines the text of an event. The default is <c>{Timestamp:yyyy-MM-dd HH:mm:ss.fff zzz}
    /// [{Level:u3}] {Message:lj}{NewLine}{Exception}</c>.
    /// </param>
    /// <param name="formatProvider">
    /// The provider of culture-specific formats, or <see langword="null"/> (the default) for the invariant culture.
    /// </param>
    /// <param name="options">
    /// The options of the log. The default is <see langword="null"/>, which stands for a new <see cref="SluiceTextLogOptions"/>: lines of
    /// text, of which the newest 31 files are kept.
    /// </param>
    /// <param name="flushOn">
    /// The minimum level of events for which the logging call waits until the operating system has the event
    /// (<see cref="LogDurability.Written"/>). Such an event and all events before it survive the end of the process. For events below this
    /// level, the call waits only for the default durability of the log. The default is <see cref="LogEventLevel.Error"/>.
    /// </param>
    /// <param name="restrictedToMinimumLevel">
    /// The minimum level of events that are appended. It is ignored if <paramref name="levelSwitch"/> is set. The default is
    /// <see cref="LevelAlias.Minimum"/>.
    /// </param>
    /// <param name="levelSwitch">
    /// A switch that changes the minimum level at run time, or <see langword="null"/> (the default) for no switch.
    /// </param>
    /// <returns>The logger configuration, so that calls can be chained.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sinks"/>, <paramref name="path"/> or <paramref name="outputTemplate"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty, or an option has an invalid value.</exception>
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
    public static LoggerConfiguration SluiceLog(
        this LoggerSinkConfiguration sinks,
        string path,
        string outputTemplate = DefaultTemplate,
        IFormatProvider? formatProvider = null,
        SluiceTextLogOptions? options = null,
        LogEventLevel flushOn = LogEventLevel.Error,
        LogEventLevel restrictedToMinimumLevel = LevelAlias.Minimum,
        LoggingLevelSwitch? levelSwitch = null) =>
        sinks.SluiceLog(
            new MessageTemplateTextFormatter(outputTemplate, formatProvider), path, options, flushOn, restrictedToMinimumLevel,
            levelSwitch);

    /// <summary>
    /// Opens a log and writes events to it in the format of a specified formatter. The log is closed when the logger is disposed.
    /// </summary>
    /// <param name="sinks">The sink configuration, <see cref="LoggerConfiguration.WriteTo"/>.</param>
    /// <param name="formatter">
    /// The formatter that converts an event to text, for example <see cref="Formatting.Json.JsonFormatter"/>. It must be thread-safe,
    /// because several threads call it at the same time.
    /// </param>
    /// <param name="path">
    /// The path of the log's directory; or, if it ends with ".log", ".txt", ".json", ".jsonl", ".ndjson" or ".clef" and is not an existing
    /// directory, the name of the files of a raw log. For "logs/app-.txt", a file in the directory "logs" is named like
    /// "app-20301231-0000000001.txt", and a new file is started every day (UTC).
    /// </param>
    /// <param name="options">
    /// The options of the log. The default is <see langword="null"/>, which stands for a new <see cref="SluiceTextLogOptions"/>: lines of
    /// text, of which the newest 31 files are kept.
    /// </param>
    /// <param name="flushOn">
    /// The minimum level of events for which the logging call waits until the operating system has the event
    /// (<see cref="LogDurability.Written"/>). Such an event and all events before it survive the end of the process. For events below this
    /// level, the call waits only for the default durability of the log. The default is <see cref="LogEventLevel.Error"/>.
    /// </param>
    /// <param name="restrictedToMinimumLevel">
    /// The minimum level of events that are appended. It is ignored if <paramref name="levelSwitch"/> is set. The default is
    /// <see cref="LevelAlias.Minimum"/>.
    /// </param>
    /// <param name="levelSwitch">
    /// A switch that changes the minimum level at run time, or <see langword="null"/> (the default) for no switch.
    /// </param>
    /// <returns>The logger configuration, so that calls can be chained.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sinks"/>, <paramref name="formatter"/> or <paramref name="path"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty, or an option has an invalid value.</exception>
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
    public static LoggerConfiguration SluiceLog(
        this LoggerSinkConfiguration sinks,
        ITextFormatter formatter,
        string path,
        SluiceTextLogOptions? options = null,
        LogEventLevel flushOn = LogEventLevel.Error,
        LogEventLevel restrictedToMinimumLevel = LevelAlias.Minimum,
        LoggingLevelSwitch? levelSwitch = null)
    {
        ArgumentNullException.ThrowIfNull(sinks);
        ArgumentNullException.ThrowIfNull(formatter);
        ReopeningLog log = new(path, options ?? new SluiceTextLogOptions());
        return sinks.Sink(new SluiceLogSink(log, formatter, flushOn), restrictedToMinimumLevel, levelSwitch);
    }

    /// <summary>
    /// Opens a log and writes audit events to it. The log is closed when the logger is disposed. A logging call waits until its event is
    /// durable and throws an exception if that fails.
    /// </summary>
    /// <param name="sinks">The sink configuration, <see cref="LoggerConfiguration.AuditTo"/>.</param>
    /// <param name="formatter">
    /// The formatter that converts an event to text, for example <see cref="Formatting.Json.JsonFormatter"/>. It must be thread-safe,
    /// because several threads call it at the same time.
    /// </param>
    /// <param name="path">
    /// The path of the log's directory; or, if it ends with ".log", ".txt", ".json", ".jsonl", ".ndjson" or ".clef" and is not an existing
    /// directory, the name of the files of a raw log. For "logs/app-.txt", a file in the directory "logs" is named like
    /// "app-20301231-0000000001.txt", and a new file is started every day (UTC).
    /// </param>
    /// <param name="options">
    /// The options of the log. The default is <see langword="null"/>, which stands for a new <see cref="SluiceAuditLogOptions"/>: lines of
    /// text, each durable before the call returns. A logging call waits for <see cref="SluiceLogOptions.Durability"/>, but at least for
    /// <see cref="LogDurability.Written"/>.
    /// </param>
    /// <param name="restrictedToMinimumLevel">
    /// The minimum level of events that are appended. It is ignored if <paramref name="levelSwitch"/> is set. The default is
    /// <see cref="LevelAlias.Minimum"/>.
    /// </param>
    /// <param name="levelSwitch">
    /// A switch that changes the minimum level at run time, or <see langword="null"/> (the default) for no switch.
    /// </param>
    /// <returns>The logger configuration, so that calls can be chained.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="sinks"/>, <paramref name="formatter"/> or <paramref name="path"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty, or an option has an invalid value.</exception>
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
    public static LoggerConfiguration SluiceLog(
        this LoggerAuditSinkConfiguration sinks,
        ITextFormatter formatter,
        string path,
        SluiceAuditLogOptions? options = null,
        LogEventLevel restrictedToMinimumLevel = LevelAlias.Minimum,
        LoggingLevelSwitch? levelSwitch = null)
    {
        ArgumentNullException.ThrowIfNull(sinks);
        ArgumentNullException.ThrowIfNull(formatter);
        (string directory, SluiceLogOptions given) = EventLogPath.Split(path, options ?? new SluiceAuditLogOptions());
        SluiceLog log = Sluice.SluiceLog.Open(directory, given);
        return sinks.Sink(
            new SluiceLogSink(log, formatter, LogEventLevel.Verbose, leaveOpen: false), restrictedToMinimumLevel, levelSwitch);
    }
}
