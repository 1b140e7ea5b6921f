using NLog;
using NLog.Config;
using NLog.Targets.Wrappers;

namespace Sluice.Logging.Tests;

/// <summary>The sample's target, called by loggers and by the wrappers of others.</summary>
public sealed class NLogTargetTests
{
    private const int Events = 500;

    /// <summary>Wrappers hand over many events at once, which is another method of a target.</summary>
    [Theory]
    [InlineData("")]
    [InlineData("async")]
    [InlineData("buffering")]
    public void Every_event_is_in_the_log_whoever_calls_the_target(string wrapper)
    {
        string folder = Directory.CreateTempSubdirectory("sluice-nlog-").FullName;
        try
        {
            using (LogFactory factory = new())
            {
                SluiceTarget target = new() { Name = "sluice", Directory = folder, Layout = "${message}" };
                LoggingConfiguration configuration = new(factory);
                configuration.AddRuleForAllLevels(wrapper switch
                {
                    "async" => new AsyncTargetWrapper(target) { Name = wrapper, OverflowAction = AsyncTargetWrapperOverflowAction.Block },
                    "buffering" => new BufferingTargetWrapper(target) { Name = wrapper, BufferSize = 100 },
                    _ => target,
                });
                factory.Configuration = configuration;
                Logger logger = factory.GetLogger("any");
                Parallel.For(0, Events, i => logger.Info("event {0}", i));
            }

            Directory.GetFiles(folder).SelectMany(File.ReadAllLines).Order(StringComparer.Ordinal)
                .ShouldBe(Enumerable.Range(0, Events).Select(static i => $"event {i}").Order(StringComparer.Ordinal));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
