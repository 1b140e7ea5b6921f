// A target for NLog over a log: threads append side by side, and errors are with the operating system when the call returns.
using NLog;
using NLog.Config;

string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-nlog");
try
{
    var configuration = new LoggingConfiguration();
    configuration.AddRuleForAllLevels(new SluiceTarget { Name = "sluice", Directory = directory, Layout = "${level} ${message}" });
    LogManager.Configuration = configuration;
    Logger logger = LogManager.GetLogger("sample");
    Parallel.For(0, 1000, i => logger.Info("order {0} was paid", i));
    LogManager.Flush();
    if (Directory.GetFiles(directory).Sum(LinesIn) != 1000)
    {
        Console.Error.WriteLine("a flush left events in memory");
        return 1;
    }

    logger.Error("the last one was not");
    LogManager.Shutdown();

    string[] lines = [.. Directory.GetFiles(directory).Order(StringComparer.Ordinal).SelectMany(File.ReadAllLines)];
    Console.WriteLine($"{lines.Length} lines, {lines.Distinct(StringComparer.Ordinal).Count()} of them different");
    return lines.Length == 1001 && lines.Distinct(StringComparer.Ordinal).Count() == 1001 ? 0 : 1;
}
finally
{
    Directory.Delete(directory, recursive: true);
}

// The log is open for writing meanwhile.
static int LinesIn(string path)
{
    using var reader = new StreamReader(new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite));
    return reader.ReadToEnd().Count(c => c == '\n');
}
