using System.Text;
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

    /// <summary>Serilog opens the file itself: its stream is closed, and one of ours takes its place.</summary>
    private sealed class StreamHook(Workplace place) : FileLifecycleHooks
    {
        public override Stream OnFileOpened(string path, Stream underlyingStream, Encoding encoding)
        {
            underlyingStream.Dispose();
            return place.Open(Path.GetFileName(path), FileMode.Append, FileAccess.Write);
        }
    }
}
