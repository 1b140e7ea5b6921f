using System.Text.Json;
using Microsoft.Extensions.Logging;

namespace Sluice.Logging.Tests;

/// <summary>What of scopes stands in an event.</summary>
public sealed partial class ProviderTests
{
    [Fact]
    public void Scopes_values_stand_in_the_event_and_the_events_own_win()
    {
        using TempFolder folder = new();
        using (ILoggerFactory factory = Factory(folder))
        {
            ILogger logger = factory.CreateLogger("scopes");
            using (logger.BeginScope("Request {Id}", 12))
            using (logger.BeginScope("plain"))
            using (logger.BeginScope(new Dictionary<string, object?> { ["Tenant"] = "a" }))
            {
                logger.LogInformation("{Tenant}", "b");
            }

            logger.LogInformation("outside");
        }

        JsonElement[] events = folder.Events();
        events[0].GetProperty("Id").GetInt32().ShouldBe(12);
        events[0].GetProperty("Scope").GetString().ShouldBe("plain");
        events[0].GetProperty("Tenant").GetString().ShouldBe("b");
        events[1].TryGetProperty("Id", out _).ShouldBeFalse();
    }

    [Fact]
    public void An_event_has_each_name_once()
    {
        using TempFolder folder = new();
        using (ILoggerFactory factory = Factory(folder))
        {
            ILogger logger = factory.CreateLogger("category");
            using (logger.BeginScope(new Dictionary<string, object?> { ["RequestId"] = 1, ["SourceContext"] = "other", ["@t"] = "now" }))
            using (logger.BeginScope(new Dictionary<string, object?> { ["RequestId"] = 2, ["EventName"] = "other", ["@@t"] = "then" }))
            {
                logger.Log(LogLevel.Information, new EventId(1, "name"), "{RequestId} {Number} {Number}", 3, 4, 5);
            }
        }

        JsonElement written = folder.Events().Single();
        string[] names = [.. written.EnumerateObject().Select(static p => p.Name)];
        names.ShouldBeUnique();
        written.GetProperty("RequestId").GetInt32().ShouldBe(3);
        written.GetProperty("Number").GetInt32().ShouldBe(5);
        written.GetProperty("SourceContext").GetString().ShouldBe("category");
        written.GetProperty("EventName").GetString().ShouldBe("name");
        written.GetProperty("@@@t").GetString().ShouldBe("then");
    }

    /// <summary>Of a scope that has a template alone, as LoggerMessage.DefineScope makes it, the template is the text.</summary>
    [Fact]
    public void A_scopes_template_is_not_the_events()
    {
        using TempFolder folder = new();
        using (ILoggerFactory factory = Factory(folder))
        {
            ILogger logger = factory.CreateLogger("scopes");
            using (logger.BeginScope("Request {Id}", 12))
            {
                logger.LogInformation("no values");
                logger.LogInformation("{Number}", 5);
            }

            using (LoggerMessage.DefineScope("all of it")(logger))
            {
                logger.LogInformation("no values");
            }
        }

        JsonElement[] events = folder.Events();
        events[0].TryGetProperty("@mt", out _).ShouldBeFalse();
        events[1].EnumerateObject().Where(static p => p.Name == "@mt").ShouldHaveSingleItem().Value.GetString().ShouldBe("{Number}");
        events[..2].All(static e => e.GetProperty("Id").GetInt32() == 12 && !e.TryGetProperty("Scope", out _)).ShouldBeTrue();
        events[2].TryGetProperty("@mt", out _).ShouldBeFalse();
        events[2].GetProperty("Scope").GetString().ShouldBe("all of it");
    }

    [Fact]
    public void Scopes_without_values_all_stand_in_the_event()
    {
        using TempFolder folder = new();
        using (ILoggerFactory factory = Factory(folder))
        {
            ILogger logger = factory.CreateLogger("scopes");
            using (logger.BeginScope("import"))
            using (LoggerMessage.DefineScope("of a file")(logger))
            using (logger.BeginScope(new Dictionary<string, object?> { ["Tenant"] = "a" }))
            using (logger.BeginScope(7))
            {
                logger.LogInformation("one");
            }

            using (logger.BeginScope("import"))
            {
                logger.LogInformation("two");
            }
        }

        JsonElement[] events = folder.Events();
        events[0].GetProperty("Scope").GetRawText().ShouldBe("""["import","of a file",7]""");
        events[0].EnumerateObject().Count(static p => p.Name == "Scope").ShouldBe(1);
        events[0].GetProperty("Tenant").GetString().ShouldBe("a");
        events[1].GetProperty("Scope").GetString().ShouldBe("import");
    }
}
