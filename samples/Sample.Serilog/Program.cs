// Serilog over a log: text for people, and an audit trail each of whose events is on the disk before the call returns.
using Serilog;
using Serilog.Formatting.Json;

string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-serilog");
string audit = Path.Combine(directory, "audit");
try
{
    await using (var logger = new LoggerConfiguration()
        .WriteTo.SluiceLog(Path.Combine(directory, "text"))
        .AuditTo.SluiceLog(new JsonFormatter(), audit, new() { Format = LogFormat.Framed })
        .CreateLogger())
    {
        await Parallel.ForAsync(0, 100, (i, _) =>
        {
            logger.Information("Payment {Payment} of {Amount}", i, 10m * i);
            return ValueTask.CompletedTask;
        });
    }

    // The audit trail is framed: every record is checked when it is read.
    using SluiceLogReader reader = new(audit);
    int records = 0;
    foreach (LogEntry entry in reader.Entries)
    {
        records += entry.Bytes.IndexOf("Payment"u8) >= 0 ? 1 : 0;
    }

    int lines = Directory.GetFiles(Path.Combine(directory, "text")).Sum(static f => File.ReadAllLines(f).Length);
    Console.WriteLine($"{lines} lines, {records} checked records");
    if (lines != 100 || records != 100)
    {
        throw new InvalidDataException("an event is missing");
    }
}
finally
{
    Directory.Delete(directory, recursive: true);
}
