using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>Provides options for a <see cref="SluiceLoggerProvider"/>.</summary>
/// <remarks>The options are read once, when the provider is created. Instances are immutable and therefore thread-safe.</remarks>
public sealed class SluiceLoggerOptions
{
    /// <summary>Gets the options of the log that the provider opens. They are ignored if the provider is given an open log.</summary>
    /// <value>
    /// The default is <see langword="null"/>, which stands for a raw log (<see cref="LogFormat.Raw"/>) with the durability
    /// <see cref="LogDurability.Buffered"/> that is disposed when the process exits; all other options have their defaults.
    /// </value>
    /// <remarks>
    /// If the log's memory (<see cref="SluiceLogOptions.BufferBytes"/>) is full, the thread that logs waits. If
    /// <see cref="SluiceLogOptions.WaitWhenFull"/> is <see langword="false"/>, the event is lost instead and is counted in
    /// <see cref="SluiceLoggerProvider.LostEvents"/>.
    /// </remarks>
    public SluiceLogOptions? Log { get; init; }

    /// <summary>
    /// Gets the minimum level of events for which the logging call waits until the operating system has the event
    /// (<see cref="LogDurability.Written"/>). Such an event and all events before it survive the end of the process.
    /// </summary>
    /// <value>The default is <see cref="LogLevel.Error"/>. With <see cref="LogLevel.None"/>, no call waits for this reason.</value>
    /// <remarks>For events below this level, the call waits only for the default durability of the log.</remarks>
    public LogLevel FlushOn { get; init; } = LogLevel.Error;

    /// <summary>
    /// Gets a value that indicates whether an event contains the template of its message, such as "{User} logged in", in addition to
    /// the message.
    /// </summary>
    /// <value>
    /// <see langword="true"/> to include the template; <see langword="false"/> for shorter events. The default is
    /// <see langword="true"/>.
    /// </value>
    public bool IncludeTemplate { get; init; } = true;

    /// <summary>Gets a value that indicates whether an event contains the scopes that are active.</summary>
    /// <value>The default is <see langword="true"/>.</value>
    /// <remarks>
    /// The named values of a scope become properties of the event. Scopes without named values are stored in the property "Scope": a
    /// single one as its value, several as an array that begins with the outermost scope.
    /// </remarks>
    public bool IncludeScopes { get; init; } = true;

    /// <summary>Gets the delegate that is called when an event is lost or when the log of a provider cannot be closed.</summary>
    /// <value>
    /// The default is <see langword="null"/>. Losses are then only shown by <see cref="SluiceLoggerProvider.LostEvents"/> and
    /// <see cref="SluiceLoggerProvider.LastError"/>.
    /// </value>
    /// <remarks>
    /// <para>
    /// The delegate is called on the thread that logs, once for each lost event. It is also called when a provider that was added with
    /// <c>AddSluice</c> is disposed and its log cannot be written or closed.
    /// </para>
    /// <para>
    /// An exception that the delegate throws reaches the caller that logs or disposes. The delegate can log; events that are lost on
    /// its thread meanwhile are counted in <see cref="SluiceLoggerProvider.LostEvents"/>, but the delegate is not called for them.
    /// </para>
    /// </remarks>
    public Action<Exception>? OnError { get; init; }

    /// <summary>Gets the clock for the times of events.</summary>
    /// <value>The default is <see langword="null"/>, which stands for <see cref="System.TimeProvider.System"/>.</value>
    public TimeProvider? TimeProvider { get; init; }
}
