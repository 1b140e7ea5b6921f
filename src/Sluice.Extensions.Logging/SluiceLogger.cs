using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>Appends the events of one category.</summary>
internal sealed class SluiceLogger(SluiceLoggerProvider provider, string category) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => provider.Scopes.Push(state);

    public bool IsEnabled(LogLevel logLevel) => logLevel != LogLevel.None;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        ArgumentNullException.ThrowIfNull(formatter);
        if (!IsEnabled(logLevel))
        {
            return;
        }

        // The formatter is called first, because it may log itself.
        string message = formatter(state, exception);
        EventWriter writer = EventWriter.Rent();
        try
        {
            writer.Write(provider.Format, new EventHead(logLevel, eventId, category, message, exception), state, provider.Scopes);
            provider.Append(writer, logLevel);
        }
        finally
        {
            writer.Return();
        }
    }
}
