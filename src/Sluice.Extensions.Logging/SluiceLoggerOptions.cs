using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>Provides options for a <see cref="SluiceLoggerProvider"/>.</summary>
/// <remarks>A <see cref="SluiceLoggerProvider"/> reads the options when it is created. This type is not thread-safe.</remarks>
public sealed class SluiceLoggerOptions
{
    /// <summary>
    /// Gets or sets the path of the log for <see cref="Microsoft.Extensions.Logging.SluiceLoggingBuilderExtensions.AddSluice(ILoggingBuilder, Action{SluiceLoggerOptions}?)"/>.
    /// The value is ignored if a path or an open log is passed to the provider.
    /// </summary>
    /// <value>
    /// A directory or a name of files, as the <c>path</c> of <see cref="SluiceLoggerProvider(string, SluiceLoggerOptions?)"/>. The default
    /// is <see langword="null"/>.
    /// </value>
    public string? Path { get; set; }

    /// <summary>
    /// Gets or sets the options of the log that the provider opens. The value is ignored if an open log is passed to the provider.
    /// </summary>
    /// <value>The default is a new <see cref="SluiceTextLogOptions"/>: lines of text, of which the newest 31 files are kept.</value>
    /// <remarks>
    /// If the memory of the log (<see cref="SluiceLogOptions.BufferBytes"/>) is full, the logging call waits. If
    /// <see cref="SluiceLogOptions.WaitWhenFull"/> is <see langword="false"/>, the call does not wait; the event is lost and counted in
    /// <see cref="SluiceLoggerProvider.LostEvents"/>.
    /// </remarks>
    public SluiceTextLogOptions Log { get; set; } = new();

    /// <summary>
    /// Gets or sets the minimum level of events for which the logging call waits until the operating system has the event
    /// (<see cref="LogDurability.Written"/>). Such an event and all events before it survive the end of the process.
    /// </summary>
    /// <value>The default is <see cref="LogLevel.Error"/>. With <see cref="LogLevel.None"/>, no call waits for this reason.</value>
    /// <remarks>For events below this level, the call waits only for the default durability of the log.</remarks>
    public LogLevel FlushOn { get; set; } = LogLevel.Error;

    /// <summary>
    /// Gets or sets a value that indicates whether an event contains its message template, such as "{User} logged in", in addition to the message.
    /// </summary>
    /// <value>
    /// <see langword="true"/> to include the template; <see langword="false"/> for shorter events. The default is
    /// <see langword="true"/>.
    /// </value>
    public bool IncludeTemplate { get; set; } = true;

    /// <summary>Gets or sets a value that indicates whether an event contains the active scopes.</summary>
    /// <value>The default is <see langword="true"/>.</value>
    /// <remarks>
    /// The named values of a scope become properties of the event. A scope without named values is stored in the property "Scope". If there
    /// are several such scopes, the value of the property is an array that begins with the outermost scope.
    /// </remarks>
    public bool IncludeScopes { get; set; } = true;

    /// <summary>
    /// Gets or sets the delegate that is called when an event is lost or cannot be written yet, or when an error occurs while a provider is
    /// disposed.
    /// </summary>
    /// <value>
    /// The default is <see langword="null"/>. Errors are then available only through <see cref="SluiceLoggerProvider.LostEvents"/> and
    /// <see cref="SluiceLoggerProvider.LastError"/>.
    /// </value>
    /// <remarks>
    /// <para>
    /// For each such event, the delegate is called once, on the thread of the logging call. After a failed flush to the disk, it is called
    /// once for all events that were in memory. It is also called if a provider that was added
    /// with <c>AddSluice</c> is disposed and its log cannot be written or closed.
    /// </para>
    /// <para>
    /// If the delegate throws an exception, it is thrown to the caller of the logging or dispose method. The delegate can itself log
    /// events. If such an event is lost, it is counted in <see cref="SluiceLoggerProvider.LostEvents"/>, but the delegate is not called
    /// again.
    /// </para>
    /// </remarks>
    public Action<Exception>? OnError { get; set; }

    /// <summary>Gets or sets the time provider for the times of events.</summary>
    /// <value>The default is <see langword="null"/>, which stands for <see cref="System.TimeProvider.System"/>.</value>
    public TimeProvider? TimeProvider { get; set; }
}
