namespace Sluice.Cli.Bench.Logs;

/// <summary>A SluiceLog in its own folder.</summary>
internal sealed class LogSide(BenchContext context, LogDurability durability) : IDisposable
{
    private static readonly byte[] Record = new byte[LogSuite.RecordBytes];
    private readonly string _directory = context.KeptPath("log");
    private SluiceLog? _log;

    /// <summary>Replaces the log with a new, empty one.</summary>
    public void Renew()
    {
        Dispose();
        _log = SluiceLog.Open(_directory, new SluiceLogOptions { Durability = durability });
    }

    public void Append() => _log!.Append(Record);

    public async Task AppendAsync(Slice slice, int loop)
    {
        do
        {
            await _log!.AppendAsync(Record);
            slice.Count(loop);
        }
        while (!slice.IsOver);
    }

    /// <summary>Closes the log and checks the number of complete records in it. Call <see cref="Renew"/> before the next append.</summary>
    /// <exception cref="IOException">The log has fewer or more records.</exception>
    public void Verify(long records)
    {
        _log?.Dispose();
        _log = null;
        long found = 0;
        using (var reader = new SluiceLogReader(_directory))
        {
            foreach (LogEntry entry in reader.Entries)
                found += entry.Bytes.SequenceEqual(Record) ? 1 : 0;
        }
        if (found != records)
            throw new IOException($"{_directory}: {records} records expected, {found} found");
    }

    public void Finish() => _log!.Flush(LogDurability.Written);

    public void Dispose()
    {
        _log?.Dispose();
        _log = null;
        if (Directory.Exists(_directory))
            Directory.Delete(_directory, recursive: true);
    }
}
