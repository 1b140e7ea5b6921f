// A store of one's own that survives a crash: every change goes to a log first, and the log is read again when the store is opened.
using System.Globalization;
using System.Text;

string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-wal");
try
{
    using (Store store = new(directory))
    {
        // Any number of threads: those who wait at the same time share one sync of the disk.
        await Parallel.ForAsync(0, 100, async (i, _) => await store.SetAsync($"key {i % 10}", i));
    }

    using (Store again = new(directory))
    {
        Console.WriteLine($"{again.Count} keys after opening again; key 3 is one of 3, 13, ... 93: {again["key 3"] % 10 == 3}");
        if (again.Count != 10 || again["key 3"] % 10 != 3)
        {
            throw new InvalidDataException("the store is not as it was");
        }
    }
}
finally
{
    Directory.Delete(directory, recursive: true);
}

/// <summary>Numbers by name.</summary>
internal sealed class Store : IDisposable
{
    private readonly Dictionary<string, int> _values = new(StringComparer.Ordinal);
    private readonly SluiceLog _log;

    public Store(string directory)
    {
        // Opening for writing cuts what was being written when the last process ended; then everything left is whole.
        _log = SluiceLog.Open(directory, new SluiceLogOptions { Durability = LogDurability.Durable, Preallocate = false });
        using SluiceLogReader reader = new(directory);
        foreach (LogEntry entry in reader.Entries)
        {
            Apply(Encoding.UTF8.GetString(entry.Bytes));
        }
    }

    public int Count => _values.Count;

    public int this[string key] => _values[key];

    public async Task SetAsync(string key, int value)
    {
        string change = string.Create(CultureInfo.InvariantCulture, $"{key}={value}");
        ValueTask<long> appended;
        lock (_values)
        {
            // The order of the log is the order of the changes.
            appended = _log.AppendAsync(Encoding.UTF8.GetBytes(change));
            Apply(change);
        }

        // Only now may somebody be told that it happened.
        _ = await appended;
    }

    public void Dispose() => _log.Dispose();

    private void Apply(string change)
    {
        int equals = change.LastIndexOf('=');
        _values[change[..equals]] = int.Parse(change.AsSpan(equals + 1), CultureInfo.InvariantCulture);
    }
}
