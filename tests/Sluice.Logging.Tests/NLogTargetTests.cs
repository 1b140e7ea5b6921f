using NLog;
using NLog.Config;
using NLog.Targets.Wrappers;

namespace Sluice.Logging.Tests;

/// <summary>The sample's target, called by loggers and by the wrappers of others.</summary>
public sealed class NLogTargetTests
{
    /// <summary>Wrappers hand over many events at once, which is another method of a target.</summary>
    [Theory]
    [InlineData("", 100_000)]
    [InlineData("async", 500)]
    [InlineData("buffering", 500)]
    public void Every_event_is_in_the_log_whoever_calls_the_target(string wrapper, int events)
    {
        string folder = Directory.CreateTempSubdirectory("sluice-nlog-").FullName;
        try
        {
            using (LogFactory factory = new())
            {
                SluiceTarget target = new() { Name = "sluice", Directory = folder, Layout = "${level} ${message}" };
                LoggingConfiguration configuration = new(factory);
                configuration.AddRuleForAllLevels(wrapper switch
                {
                    "async" => new AsyncTargetWrapper(target) { Name = wrapper, OverflowAction = AsyncTargetWrapperOverflowAction.Block },
                    "buffering" => new BufferingTargetWrapper(target) { Name = wrapper, BufferSize = 100 },
                    _ => target,
                });
                factory.Configuration = configuration;
                Logger logger = factory.GetLogger("any");
                Parallel.For(0, events, i => logger.Info("event {0}", i));
            }

            string[] lines = [.. Directory.GetFiles(folder).SelectMany(File.ReadAllLines)];
            lines.Length.ShouldBe(events);
            Enumerable.Range(0, events).Select(static i => $"Info event {i}").Except(lines).ShouldBeEmpty();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
