using System.Globalization;
using Microsoft.Extensions.Logging;
using NLog.Config;
using NLog.Targets;
using Serilog;
using Serilog.Events;
using Sluice.Extensions.Logging;
using ZLogger;
using LogLevel = Microsoft.Extensions.Logging.LogLevel;

namespace Peers;

/// <summary>A logger of <c>Microsoft.Extensions.Logging</c>, which logs the same event as the others.</summary>
internal abstract class ProviderPeer(Action<ILoggingBuilder> configure) : Peer
{
    private readonly ILoggerFactory _factory = LoggerFactory.Create(configure);
    private Microsoft.Extensions.Logging.ILogger? _logger;

    public override bool ClosingCounts => true;

    protected Microsoft.Extensions.Logging.ILogger Logger => _logger ??= _factory.CreateLogger("peer");

    public override void Append(int thread, int number) =>
        Logger.LogInformation("order {Id} of {Customer} was paid: {Amount}", number, "Zoë", thread * 1.5);

    public override void Dispose() => _factory.Dispose();
}

internal sealed class SluiceLoggerPeer(string folder, bool isWritten) : ProviderPeer(b => b.AddSluice(
    folder, o => o.FlushOn = isWritten ? LogLevel.Trace : LogLevel.None));

/// <summary>ZLogger writes on a thread of its own; no call waits for it.</summary>
internal sealed class ZLoggerPeer(string folder) : ProviderPeer(b => b.AddZLoggerFile(Path.Combine(folder, "app.log")))
{
    public override void Append(int thread, int number)
    {
        double amount = thread * 1.5;
        string customer = "Zoë";
        Logger.ZLogInformation($"order {number} of {customer} was paid: {amount}");
    }
}

internal sealed class SerilogPeer(LoggerConfiguration configuration) : Peer
{
    private readonly Serilog.Core.Logger _logger = configuration.CreateLogger();

    public override bool ClosingCounts => true;

    public static SerilogPeer OverSluice(string folder, bool isWritten) => new(new LoggerConfiguration().WriteTo.SluiceLog(
        folder, formatProvider: CultureInfo.InvariantCulture, flushOn: isWritten ? LogEventLevel.Verbose : LevelAlias.Off));

    public static SerilogPeer OverFile(string folder, bool isWritten) => new(new LoggerConfiguration().WriteTo.File(
        Path.Combine(folder, "app.log"), formatProvider: CultureInfo.InvariantCulture, buffered: !isWritten, fileSizeLimitBytes: null));

    public override void Append(int thread, int number) =>
        _logger.Information("order {Id} of {Customer} was paid: {Amount}", number, "Zoë", thread * 1.5);

    public override void Dispose() => _logger.Dispose();
}

internal sealed class NLogPeer : Peer
{
    private readonly NLog.LogFactory _factory = new();
    private readonly NLog.Logger _logger;

    public NLogPeer(string folder, bool isWritten)
    {
        LoggingConfiguration configuration = new(_factory);
        configuration.AddRuleForAllLevels(new FileTarget("file")
        {
            FileName = Path.Combine(folder, "app.log"),
            KeepFileOpen = true,
            AutoFlush = isWritten,
            Layout = "${longdate} [${level:uppercase=true}] ${message}",
        });
        _factory.Configuration = configuration;
        _logger = _factory.GetLogger("peer");
    }

    public override bool ClosingCounts => true;

    public override void Append(int thread, int number) =>
        _logger.Info(CultureInfo.InvariantCulture, "order {Id} of {Customer} was paid: {Amount}", number, "Zoë", thread * 1.5);

    public override void Dispose() => _factory.Dispose();
}
