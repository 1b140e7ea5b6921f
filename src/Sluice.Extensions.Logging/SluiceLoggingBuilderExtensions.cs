using Microsoft.Extensions.DependencyInjection;
using Sluice;
using Sluice.Extensions.Logging;

namespace Microsoft.Extensions.Logging;

/// <summary>Adds a <see cref="SluiceLoggerProvider"/> where logging is set up; in configuration its name is "Sluice".</summary>
public static class SluiceLoggingBuilderExtensions
{
    /// <summary>
    /// Events go to a log of the provider's own, opened with the first logger and closed with the container, which is the host's or that of
    /// <c>LoggerFactory.Create</c>. What cannot be written then is told to <see cref="SluiceLoggerOptions.OnError"/>.
    /// </summary>
    /// <param name="builder">Of the application.</param>
    /// <param name="directory">The log's folder.</param>
    /// <param name="options">Null for the defaults.</param>
    public static ILoggingBuilder AddSluice(this ILoggingBuilder builder, string directory, SluiceLoggerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(directory);
        builder.Services.AddSingleton<ILoggerProvider>(_ => new SluiceLoggerProvider(directory, options) { IsContainerOwned = true });
        return builder;
    }

    /// <summary>Events go to a log of the caller's, which stays open.</summary>
    /// <param name="builder">Of the application.</param>
    /// <param name="log">The log.</param>
    /// <param name="options">Null for the defaults.</param>
    public static ILoggingBuilder AddSluice(this ILoggingBuilder builder, SluiceLog log, SluiceLoggerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(log);
        builder.Services.AddSingleton<ILoggerProvider>(_ => new SluiceLoggerProvider(log, options) { IsContainerOwned = true });
        return builder;
    }
}
