using Microsoft.Extensions.DependencyInjection;
using Sluice;
using Sluice.Extensions.Logging;

namespace Microsoft.Extensions.Logging;

/// <summary>Provides extension methods that add a <see cref="SluiceLoggerProvider"/> to an <see cref="ILoggingBuilder"/>.</summary>
/// <remarks>The methods are not thread-safe. The name of the provider in configuration is "Sluice".</remarks>
public static class SluiceLoggingBuilderExtensions
{
    /// <summary>Adds a provider that opens a log and writes events to it.</summary>
    /// <param name="builder">The logging builder.</param>
    /// <param name="path">
    /// The path of the log's directory; or, if it ends with ".log", ".txt", ".json", ".jsonl", ".ndjson" or ".clef" and is not an existing
    /// directory, the name of the log's files. For "logs/app-.txt", a file in the directory "logs" is named like
    /// "app-20301231-0000000001.txt", and a new file is started every day (UTC).
    /// </param>
    /// <param name="options">The options of the provider, or <see langword="null"/> (the default) for the default options.</param>
    /// <returns><paramref name="builder"/>, so that calls can be chained.</returns>
    /// <remarks>
    /// The log is opened when the service container creates the logger factory. Exceptions of <see cref="SluiceLog.Open"/> are thrown at
    /// that time. The log is closed when the container is disposed. Errors that occur at that time are passed to
    /// <see cref="SluiceLoggerOptions.OnError"/>.
    /// </remarks>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="builder"/> or <paramref name="path"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty.</exception>
    public static ILoggingBuilder AddSluice(this ILoggingBuilder builder, string path, SluiceLoggerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(path);
        builder.Services.AddSingleton<ILoggerProvider>(_ => new SluiceLoggerProvider(path, options) { IsContainerOwned = true });
        return builder;
    }

    /// <summary>Adds a provider that opens a log and writes events to it.</summary>
    /// <param name="builder">The logging builder.</param>
    /// <param name="path">
    /// The path of the log's directory; or, if it ends with ".log", ".txt", ".json", ".jsonl", ".ndjson" or ".clef" and is not an existing
    /// directory, the name of the log's files. For "logs/app-.txt", a file in the directory "logs" is named like
    /// "app-20301231-0000000001.txt", and a new file is started every day (UTC).
    /// </param>
    /// <param name="configure">The delegate that sets the options of the provider. It is called once, by this method.</param>
    /// <returns><paramref name="builder"/>, so that calls can be chained.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="builder"/>, <paramref name="path"/> or <paramref name="configure"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty.</exception>
    /// <inheritdoc cref="AddSluice(ILoggingBuilder, string, SluiceLoggerOptions?)" path="/remarks"/>
    public static ILoggingBuilder AddSluice(this ILoggingBuilder builder, string path, Action<SluiceLoggerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        SluiceLoggerOptions options = new();
        configure(options);
        return builder.AddSluice(path, options);
    }

    /// <summary>Adds a provider that writes events to an open log. The log stays open when the container is disposed.</summary>
    /// <param name="builder">The logging builder.</param>
    /// <param name="log">The log. Other code can append to it as well.</param>
    /// <param name="options">
    /// The options of the provider, or <see langword="null"/> (the default) for the default options. <see cref="SluiceLoggerOptions.Log"/>
    /// is ignored.
    /// </param>
    /// <returns><paramref name="builder"/>, so that calls can be chained.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="builder"/> or <paramref name="log"/> is <see langword="null"/>.
    /// </exception>
    public static ILoggingBuilder AddSluice(this ILoggingBuilder builder, SluiceLog log, SluiceLoggerOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(log);
        builder.Services.AddSingleton<ILoggerProvider>(_ => new SluiceLoggerProvider(log, options) { IsContainerOwned = true });
        return builder;
    }
}
