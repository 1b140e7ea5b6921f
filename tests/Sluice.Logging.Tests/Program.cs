using Microsoft.Extensions.Logging;
using Serilog;
using Serilog.Core;
using Sluice.Extensions.Logging;
using ILogger = Microsoft.Extensions.Logging.ILogger;

namespace Sluice.Logging.Tests;

/// <summary>The program that <see cref="ExitTests"/> starts; never called by the test host.</summary>
internal static class Program
{
    /// <summary>Logs with options of its own, and ends without closing the loggers.</summary>
    public static int Main(string[] args)
    {
        SluiceTextLogOptions options = new() { RetainSegments = 31, FlushInterval = TimeSpan.FromHours(1) };
        Logger sink = new LoggerConfiguration().WriteTo.SluiceLog(Path.Combine(args[0], "sink"), options: options).CreateLogger();
        SluiceLoggerProvider provider = new(Path.Combine(args[0], "provider"), new() { Log = options });
        ILogger logger = provider.CreateLogger("any");
        for (int i = 0; i < ExitTests.Count; i++)
        {
            sink.Information("event {Number}", i);
            logger.LogInformation("event {Number}", i);
        }

        return 0;
    }
}
