using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>How a <see cref="SluiceLoggerProvider"/> writes events. Read once, when the provider is made.</summary>
public sealed class SluiceLoggerOptions
{
    /// <summary>
    /// Of the log that a provider opens itself; null for text (<see cref="LogFormat.Raw"/>), buffered, closed when the process ends. Its
    /// <see cref="SluiceLogOptions.BufferBytes"/> bound the memory, and <see cref="SluiceLogOptions.WaitWhenFull"/> says whether a caller
    /// waits when they are full, or the event is lost and counted.
    /// </summary>
    public SluiceLogOptions? Log { get; init; }

    /// <summary>
    /// From this level on an event is with the operating system (<see cref="LogDurability.Written"/>) when the call returns, and so
    /// survives the end of the process, with all events before it; <see cref="LogLevel.None"/> for none. Less important ones have the log's
    /// default durability.
    /// </summary>
    public LogLevel FlushOn { get; init; } = LogLevel.Error;

    /// <summary>Whether the template of a message ("{User} came") stands beside the message; false makes lines shorter.</summary>
    public bool IncludeTemplate { get; init; } = true;

    /// <summary>
    /// Whether the values of scopes are properties of an event, and scopes without values stand in "Scope": one as itself, several as an
    /// array, the outermost first.
    /// </summary>
    public bool IncludeScopes { get; init; } = true;

    /// <summary>
    /// Is told of an error with which events were lost, once for each of them, on the thread that logged, and of the one with which the log
    /// of <c>AddSluice</c> could not be closed; null for nobody. What it throws reaches who logged, or closed. It may log: what is lost on
    /// its thread until it returns is counted (<see cref="SluiceLoggerProvider.LostEvents"/>), and not told.
    /// </summary>
    public Action<Exception>? OnError { get; init; }

    /// <summary>Where the time of an event comes from; null for the system's clock.</summary>
    public TimeProvider? TimeProvider { get; init; }
}
