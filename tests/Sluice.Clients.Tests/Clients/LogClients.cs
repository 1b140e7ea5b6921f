using System.Text;
using NLog;
using NLog.Config;
using NLog.Layouts;
using NLog.Targets;
using Serilog;
using Sluice.Clients.Tests.Support;
using FileLifecycleHooks = Serilog.Sinks.File.FileLifecycleHooks;

namespace Sluice.Clients.Tests.Clients;

/// <summary>Loggers, by the place where each lets a stream in.</summary>
internal static class LogClients
{
    private const int Records = 3000;

    public static IReadOnlyList<Client> All { get; } =
    [
        new Client("Serilog's file sink, by its hook", SerilogSink),
        new Client("NLog, by a target over a stream", NLogTarget),
    ];

    private static void SerilogSink(Workplace place)
    {
        using (Serilog.Core.Logger logger = new LoggerConfiguration().WriteTo.File(
            place.PathOf("app.log"), outputTemplate: "{Level:u3} {Message:lj}{NewLine}", hooks: new StreamHook(place)).CreateLogger())
        {
            for (int i = 0; i < Records; i++)
            {
                logger.Information("record {Number} of {Count}", i, Records);
            }
        }

        place.Saw(File.ReadLines(place.PathOf("app.log")).Count());
    }

    private static void NLogTarget(Workplace place)
    {
        using (LogFactory factory = new())
        {
            LoggingConfiguration configuration = new(factory);
            Layout layout = Layout.FromString("${level} ${message}");
            configuration.AddRuleForAllLevels(new StreamTarget(place.Create("nlog.log")) { Layout = layout });
            factory.Configuration = configuration;
            NLog.Logger logger = factory.GetLogger("any");
            for (int i = 0; i < Records; i++)
            {
                logger.Warn("record {0}", i);
            }
        }

        place.Saw(File.ReadLines(place.PathOf("nlog.log")).Last());
    }

    /// <summary>Serilog opens the file itself: its stream is closed, and one of ours takes its place.</summary>
    private sealed class StreamHook(Workplace place) : FileLifecycleHooks
    {
        public override Stream OnFileOpened(string path, Stream underlyingStream, Encoding encoding)
        {
            underlyingStream.Dispose();
            return place.Open(Path.GetFileName(path), FileMode.Append, FileAccess.Write);
        }
    }

    private sealed class StreamTarget(Stream stream) : TargetWithLayout
    {
        protected override void Write(LogEventInfo logEvent)
        {
            stream.Write(Encoding.UTF8.GetBytes(RenderLogEvent(Layout, logEvent)));
            stream.WriteByte((byte)'\n');
        }

        protected override void CloseTarget()
        {
            stream.Dispose();
            base.CloseTarget();
        }
    }
}
