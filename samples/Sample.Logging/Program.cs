// An application's events as lines of JSON: files of 64 MiB, the newest ten kept; an error is with the operating system before the call
// returns, everything else within 400 ms.
using Microsoft.Extensions.Logging;
using Sluice.Extensions.Logging;

string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-logging");
try
{
    SluiceLoggerOptions options = new()
    {
        Log = new()
        {
            SegmentBytes = 64 * 1024 * 1024,
            RetainSegments = 10,
            WaitWhenFull = true, // false: rather lose an event than wait for a slow disk
        },
        OnError = e => Console.Error.WriteLine(e.Message),
    };

    // In a web application or a host: builder.Logging.AddSluice(directory, options).
    using (ILoggerFactory factory = LoggerFactory.Create(logging => logging.AddSluice(directory, options)))
    {
        ILogger logger = factory.CreateLogger("Shop");
        Parallel.For(0, 1000, i => logger.LogInformation("Order {Order} of {Customer}", i, $"customer {i % 7}"));
        using (logger.BeginScope("Request {Request}", 17))
        {
            logger.LogError(new InvalidOperationException("out of stock"), "Order {Order} failed", 1000);
        }
    }

    string[] lines = Directory.GetFiles(directory).SelectMany(File.ReadAllLines).ToArray();
    Console.WriteLine($"{lines.Length} events; the last: {lines[^1][..60]}...");
    if (lines.Length != 1001 || !lines[^1].Contains("\"Request\":17"))
    {
        throw new InvalidDataException("an event is missing");
    }
}
finally
{
    Directory.Delete(directory, recursive: true);
}
