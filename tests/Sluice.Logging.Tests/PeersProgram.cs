using System.Diagnostics;
using System.Globalization;
using Microsoft.Extensions.Logging;
using NLog.Config;
using NLog.Targets;
using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting.Display;
using Serilog;
using Sluice.Extensions.Logging;
using LogFactory = NLog.LogFactory;
using Logger = Serilog.Core.Logger;

namespace Sluice.Logging.Tests;

/// <summary>
/// The two packages beside Serilog's file sink and NLog's file target: eight threads log the same event, in turns b s s b. Once each event
/// is with the operating system when the call returns, once it may wait in memory; closing the logger, which writes what waits, belongs to
/// the time, and every event must be a line of the file.
/// </summary>
internal static class PeersProgram
{
    private const int Threads = 8;

    private delegate void Logs(int thread, int number);

    public static int Run(string directory, int seconds)
    {
        Console.WriteLine($"events/s, {Threads} threads, turns of {seconds} s: {"",26}b          s          s          b   ratio");
        foreach (bool isWritten in (bool[])[true, false])
        {
            (string Name, Func<string, (Logs, IDisposable)> Open)[] peers =
            [
                ("Serilog.Sinks.File", path => Serilog(l => l.WriteTo.File(
                    Path.Combine(path, "app.log"), formatProvider: CultureInfo.InvariantCulture, buffered: !isWritten,
                    fileSizeLimitBytes: null))),
                ("NLog file target", path => NLog(path, isWritten)),
            ];
            (string Name, Func<string, (Logs, IDisposable)> Open)[] own =
            [
                ("Sluice.Serilog", path => Serilog(l => l.WriteTo.SluiceLog(
                    path, formatProvider: CultureInfo.InvariantCulture,
                    flushOn: isWritten ? LogEventLevel.Verbose : LevelAlias.Off))),
                ("Sluice.Extensions.Logging", path => Provider(path, isWritten)),
            ];
            foreach ((string peer, Func<string, (Logs, IDisposable)> openPeer) in peers)
            {
                foreach ((string name, Func<string, (Logs, IDisposable)> open) in own)
                {
                    double[] turns =
                    [
                        .. ((Func<string, (Logs, IDisposable)>[])[openPeer, open, open, openPeer])
                            .Select(o => Measure(Path.Combine(directory, "peers"), o, seconds)),
                    ];
                    double ratio = (turns[1] + turns[2]) / (turns[0] + turns[3]);
                    Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
                        $"{(isWritten ? "written" : "buffered"),-9}{name,-34}{"to " + peer,-22}"
                        + $"{turns[0],10:#,0} {turns[1],10:#,0} {turns[2],10:#,0} {turns[3],10:#,0} {ratio,7:0.00}"));
                }
            }
        }

        // The most that any sink could reach: the same events, made into the same text, which goes nowhere.
        double most = Measure(
            Path.Combine(directory, "peers"), static _ => Serilog(static l => l.WriteTo.Sink(new Nowhere())), seconds, hasFile: false);
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"Serilog with a sink that formats and writes nothing: {most:#,0}"));
        return 0;
    }

    private static double Measure(string directory, Func<string, (Logs, IDisposable)> open, int seconds, bool hasFile = true)
    {
        if (Directory.Exists(directory))
        {
            Directory.Delete(directory, recursive: true);
        }

        Directory.CreateDirectory(directory);
        long[] counts = new long[Threads];
        (Logs logs, IDisposable logger) = open(directory);
        logs(0, 0);
        Stopwatch time = Stopwatch.StartNew();
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(t => new Thread(() =>
        {
            int number = 1;
            for (; time.Elapsed.TotalSeconds < seconds; number++)
            {
                logs(t, number);
            }

            counts[t] = number - 1;
        }))];
        Array.ForEach(threads, static t => t.Start());
        Array.ForEach(threads, static t => t.Join());
        logger.Dispose();
        double rate = counts.Sum() / time.Elapsed.TotalSeconds;
        if (!hasFile)
        {
            return rate;
        }

        string[] files = Directory.GetFiles(directory);
        long lines = files.Any(static f => f.EndsWith(".slog", StringComparison.Ordinal))
            ? Records(directory) : files.Sum(static f => File.ReadLines(f).LongCount());
        return lines == counts.Sum() + 1
            ? rate
            : throw new InvalidDataException($"{counts.Sum() + 1} events, and {lines} lines in {directory}");
    }

    private static long Records(string directory)
    {
        using SluiceLogReader reader = new(directory);
        long records = 0;
        foreach (LogEntry _ in reader.Entries)
        {
            records++;
        }

        return records;
    }

    private static (Logs, IDisposable) Serilog(Func<LoggerConfiguration, LoggerConfiguration> sink)
    {
        Logger logger = sink(new LoggerConfiguration()).CreateLogger();
        return ((t, n) => logger.Information("order {Id} of {Customer} was paid: {Amount}", n, "Zoë", t * 1.5), logger);
    }

    private static (Logs, IDisposable) NLog(string path, bool isWritten)
    {
        LogFactory factory = new();
        LoggingConfiguration configuration = new(factory);
        configuration.AddRuleForAllLevels(new FileTarget("file")
        {
            FileName = Path.Combine(path, "app.log"),
            KeepFileOpen = true,
            AutoFlush = isWritten,
            Layout = "${longdate} [${level:uppercase=true}] ${message}",
        });
        factory.Configuration = configuration;
        global::NLog.Logger logger = factory.GetLogger("peer");
        return (
            (t, n) => logger.Info(CultureInfo.InvariantCulture, "order {Id} of {Customer} was paid: {Amount}", n, "Zoë", t * 1.5), factory);
    }

    private static (Logs, IDisposable) Provider(string path, bool isWritten)
    {
        ILoggerFactory factory = LoggerFactory.Create(b => b.AddSluice(path, new SluiceLoggerOptions
        {
            FlushOn = isWritten ? Microsoft.Extensions.Logging.LogLevel.Trace : Microsoft.Extensions.Logging.LogLevel.None,
        }));
        Microsoft.Extensions.Logging.ILogger logger = factory.CreateLogger("own");
        return ((t, n) => logger.LogInformation("order {Id} of {Customer} was paid: {Amount}", n, "Zoë", t * 1.5), factory);
    }

    private sealed class Nowhere : ILogEventSink
    {
        [ThreadStatic]
        private static StringWriter? t_text;

        private readonly MessageTemplateTextFormatter _formatter =
            new("{Timestamp:yyyy-MM-dd HH:mm:ss.fff zzz} [{Level:u3}] {Message:lj}{NewLine}{Exception}", CultureInfo.InvariantCulture);

        public void Emit(LogEvent logEvent)
        {
            StringWriter text = t_text ??= new StringWriter(CultureInfo.InvariantCulture);
            text.GetStringBuilder().Clear();
            _formatter.Format(logEvent, text);
        }
    }
}
