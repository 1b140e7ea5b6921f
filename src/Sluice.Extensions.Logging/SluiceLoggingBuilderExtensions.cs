using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Configuration;
using Sluice;
using Sluice.Extensions.Logging;

namespace Microsoft.Extensions.Logging;

/// <summary>Provides extension methods that add a <see cref="SluiceLoggerProvider"/> to an <see cref="ILoggingBuilder"/>.</summary>
/// <remarks>The methods are not thread-safe. The name of the provider in configuration is "Sluice".</remarks>
public static class SluiceLoggingBuilderExtensions
{
    /// <summary>
    /// Adds a provider that opens a log and writes events to it. Path and options come from the section "Logging:Sluice" of the
    /// configuration.
    /// </summary>
    /// <param name="builder">The logging builder.</param>
    /// <param name="configure">
    /// The delegate that changes the options after they are read from the configuration, or <see langword="null"/> (the default).
    /// </param>
    /// <returns><paramref name="builder"/>, so that calls can be chained.</returns>
    /// <remarks>
    /// <para>
    /// The section has the names of <see cref="SluiceLoggerOptions"/>, for example "Path", "FlushOn" and "Log:RetainSegments". It is read
    /// when the service container creates the provider; a later change of it has no effect.
    /// </para>
    /// <para>
    /// The log is opened when the service container creates the logger factory. Exceptions of <see cref="SluiceLog.Open"/> are thrown at
    /// that time, an <see cref="InvalidOperationException"/> if a value of the section cannot be converted, and an
    /// <see cref="ArgumentException"/> if no path is given. The log is closed when the container is disposed. Errors that occur at that
    /// time are passed to <see cref="SluiceLoggerOptions.OnError"/>.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is <see langword="null"/>.</exception>
    public static ILoggingBuilder AddSluice(this ILoggingBuilder builder, Action<SluiceLoggerOptions>? configure = null) =>
        Add(builder, path: null, configure);

    /// <summary>
    /// Adds a provider that opens a log and writes events to it. Other options come from the section "Logging:Sluice" of the configuration.
    /// </summary>
    /// <param name="builder">The logging builder.</param>
    /// <param name="path">
    /// The path of the log's directory; or, if it ends with ".log", ".txt", ".json", ".jsonl", ".ndjson" or ".clef" and is not an existing
    /// directory, the name of the files of a raw log. For "logs/app-.txt", a file in the directory "logs" is named like
    /// "app-20301231-0000000001.txt", and a new file is started every day (UTC).
    /// </param>
    /// <param name="configure">
    /// The delegate that changes the options after they are read from the configuration, or <see langword="null"/> (the default).
    /// </param>
    /// <returns><paramref name="builder"/>, so that calls can be chained.</returns>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="builder"/> or <paramref name="path"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty.</exception>
    /// <inheritdoc cref="AddSluice(ILoggingBuilder, Action{SluiceLoggerOptions}?)" path="/remarks"/>
    public static ILoggingBuilder AddSluice(this ILoggingBuilder builder, string path, Action<SluiceLoggerOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return Add(builder, path, configure);
    }

    /// <summary>Adds a provider that opens a log and writes events to it. The configuration is not read.</summary>
    /// <param name="builder">The logging builder.</param>
    /// <param name="path">
    /// The path of the log's directory; or, if it ends with ".log", ".txt", ".json", ".jsonl", ".ndjson" or ".clef" and is not an existing
    /// directory, the name of the files of a raw log. For "logs/app-.txt", a file in the directory "logs" is named like
    /// "app-20301231-0000000001.txt", and a new file is started every day (UTC).
    /// </param>
    /// <param name="options">The options of the provider.</param>
    /// <returns><paramref name="builder"/>, so that calls can be chained.</returns>
    /// <remarks>
    /// The log is opened when the service container creates the logger factory. Exceptions of <see cref="SluiceLog.Open"/> are thrown at
    /// that time. The log is closed when the container is disposed. Errors that occur at that time are passed to
    /// <see cref="SluiceLoggerOptions.OnError"/>.
    /// </remarks>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="builder"/>, <paramref name="path"/> or <paramref name="options"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty.</exception>
    public static ILoggingBuilder AddSluice(this ILoggingBuilder builder, string path, SluiceLoggerOptions options)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentNullException.ThrowIfNull(options);
        builder.Services.AddSingleton<ILoggerProvider>(_ => new SluiceLoggerProvider(path, options) { IsContainerOwned = true });
        return builder;
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

    private static ILoggingBuilder Add(ILoggingBuilder builder, string? path, Action<SluiceLoggerOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.AddConfiguration();
        builder.Services.AddSingleton<ILoggerProvider>(services =>
        {
            SluiceLoggerOptions options = new();
            services.GetRequiredService<ILoggerProviderConfiguration<SluiceLoggerProvider>>().Configuration.Bind(options);
            configure?.Invoke(options);
            string logPath = path ?? options.Path
                ?? throw new ArgumentException("The path of the log is missing: set \"Path\" in the section \"Logging:Sluice\" of the configuration.");
            return new SluiceLoggerProvider(logPath, options) { IsContainerOwned = true };
        });
        return builder;
    }
}
