using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Sluice.Extensions.Logging;

namespace Sluice.Logging.Tests;

/// <summary>Formatters and containers.</summary>
public sealed partial class ProviderTests
{
    [Fact]
    public void What_an_events_formatter_throws_is_the_callers_and_a_formatter_may_log()
    {
        using TempFolder folder = new();
        using (SluiceLoggerProvider provider = new(folder.Log))
        {
            ILogger logger = provider.CreateLogger("a");
            Should.Throw<FormatException>(
                () => logger.Log(LogLevel.Information, default, 1, null, static (_, _) => throw new FormatException()));
            KeyValuePair<string, object?>[] values = [new("Value", new Talkative(logger))];
            logger.Log(LogLevel.Information, default, values, null, (_, _) =>
            {
                logger.LogInformation("inner");
                return "outer";
            });
        }

        folder.Events().Select(static e => e.GetProperty("@m").GetString()).ShouldBe(["inner", "from a value", "outer"]);
    }

    [Fact]
    public void Sequences_of_sequences_have_as_many_elements_in_an_event_as_one_of_them()
    {
        using TempFolder folder = new();
        object shared = Enumerable.Repeat<object>(Enumerable.Repeat(1, 500).ToArray(), 1000).ToArray();
        using (SluiceLoggerProvider provider = new(folder.Log))
        {
            ILogger logger = provider.CreateLogger("a");
            logger.Log(
                LogLevel.Information, default, (KeyValuePair<string, object?>[])[new("Value", shared), new("After", 1)], null,
                static (_, _) => "m");
        }

        System.Text.Json.JsonElement only = folder.Events().ShouldHaveSingleItem();
        only.GetProperty("After").GetInt32().ShouldBe(1);
        System.Text.Json.JsonElement value = only.GetProperty("Value");
        value[0].GetArrayLength().ShouldBe(500);
        value.EnumerateArray().Sum(static e => e.ValueKind == System.Text.Json.JsonValueKind.Array ? e.GetArrayLength() : 1)
            .ShouldBeInRange(500, 1010);
    }

    /// <summary>Many long values, and values without an end, of an event and of a scope, would be more than any memory.</summary>
    [Fact]
    public void Of_an_event_no_more_is_written_than_its_log_could_take()
    {
        using TempFolder folder = new();
        object text = new string('a', 10_000_000);
        KeyValuePair<string, object?>[] many = [.. Enumerable.Range(0, 10).Select(i => new KeyValuePair<string, object?>($"Value{i}", text))];
        KeyValuePair<string, object?>[] elements = [new("Value", Enumerable.Repeat(text, 10))];
        using (SluiceLoggerProvider provider = new(folder.Log))
        {
            ILogger logger = provider.CreateLogger("a");
            foreach (IEnumerable<KeyValuePair<string, object?>> state in (IEnumerable<KeyValuePair<string, object?>>[])
                [many, many.Where(static _ => true), elements, EndlessValues()])
            {
                logger.Log(LogLevel.Information, default, state, null, static (_, _) => "m");
                using (logger.BeginScope(state))
                {
                    logger.Log(LogLevel.Information, default, 1, null, static (_, _) => "m");
                }
            }

            provider.LostEvents.ShouldBe(0);
        }

        System.Text.Json.JsonElement[] events = folder.Events();
        events.Length.ShouldBe(8);
        events.ShouldAllBe(static e => e.GetProperty("@m").GetString() == "m");
        events.ShouldAllBe(static e => e.GetProperty("CutFromBytes").GetInt32() > 16_000_000);
        events.ShouldAllBe(static e => e.GetProperty("CutFromBytes").GetInt32() < 17_000_000);
    }

    [Fact]
    public void A_container_that_is_disposed_closes_the_log()
    {
        using TempFolder folder = new();
        using (ServiceProvider services = new ServiceCollection().AddLogging(b => b.AddSluice(folder.Log)).BuildServiceProvider())
        {
            services.GetRequiredService<ILogger<ProviderTests>>().LogInformation("one");
        }

        folder.Events().ShouldHaveSingleItem().GetProperty("SourceContext").GetString().ShouldBe(typeof(ProviderTests).FullName);
        using SluiceLog again = SluiceLog.Open(folder.Log, new SluiceLogOptions { Format = LogFormat.Raw });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_container_is_disposed_of_as_a_whole_where_the_log_cannot_be_closed(bool isAsynchronous)
    {
        using TempFolder folder = new();
        List<Exception> errors = [];
        BrokenDisk disk = new();
        ServiceCollection services = new();
        services.AddSingleton<Neighbour>().AddLogging(b => b.AddSluice(folder.Log, OnDisk(disk, errors)));
        ServiceProvider container = services.BuildServiceProvider();

        // What was made sooner is disposed of later.
        Neighbour neighbour = container.GetRequiredService<Neighbour>();
        container.GetRequiredService<ILogger<ProviderTests>>().LogInformation("lost");
        SluiceLoggerProvider provider = (SluiceLoggerProvider)container.GetServices<ILoggerProvider>().Single();
        disk.IsFull = true;
        if (isAsynchronous)
        {
            await container.DisposeAsync();
        }
        else
        {
            container.Dispose();
        }

        neighbour.IsDisposed.ShouldBeTrue();
        provider.LastError.ShouldBe(errors.ShouldHaveSingleItem());
        errors[0].ShouldBeAssignableTo<IOException>()!.Message.ShouldContain(folder.Log);
    }

    /// <summary>Else one lost event would be told until the stack is full, which ends the process.</summary>
    [Fact]
    public void What_is_lost_while_a_loss_is_told_is_counted_and_not_told()
    {
        using TempFolder folder = new();
        ILogger? logger = null;
        int told = 0;
        SluiceLoggerOptions options = new()
        {
            OnError = e =>
            {
                // Without the bound the test's process would end.
                if (++told < 100)
                {
                    logger!.LogError(e, "could not log");
                }

                throw new FormatException();
            },
        };
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Format = LogFormat.Raw });
        using SluiceLoggerProvider provider = new(log, options);
        logger = provider.CreateLogger("a");
        log.Dispose();
        for (int i = 1; i <= 2; i++)
        {
            Should.Throw<FormatException>(() => logger.LogInformation("lost"));
            provider.LostEvents.ShouldBe(2 * i);
            told.ShouldBe(i);
        }
    }

    private static SluiceLoggerOptions OnDisk(BrokenDisk disk, List<Exception> errors) => new()
    {
        Log = new() { Format = LogFormat.Framed, Durability = LogDurability.Buffered, Engine = disk, FlushInterval = TimeSpan.FromHours(1) },
        OnError = errors.Add,
    };

    private static IEnumerable<KeyValuePair<string, object?>> EndlessValues()
    {
        for (int i = 0; ; i++)
        {
            yield return new($"{i}", null);
        }
    }

    private sealed class Neighbour : IDisposable
    {
        public bool IsDisposed { get; private set; }

        public void Dispose() => IsDisposed = true;
    }
}
