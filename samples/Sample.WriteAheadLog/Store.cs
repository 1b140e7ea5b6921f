using System.Globalization;
using System.Text;

/// <summary>Numbers by name.</summary>
internal sealed class Store : IDisposable
{
    private readonly Dictionary<string, int> _values = new(StringComparer.Ordinal);
    private readonly SluiceLog _log;

    public Store(string directory, SluiceLogOptions? options = null)
    {
        // Opening for writing cuts what was being written when the last process ended; then everything left is whole.
        _log = SluiceLog.Open(directory, options ?? new SluiceLogOptions { Durability = LogDurability.Durable, Preallocate = false });
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
        long sequence;
        lock (_values)
        {
            // The order of the log is the order of the changes: this returns when the record has its place, or throws, and nothing is
            // changed. AppendAsync would not do: where it waits for memory, a later append may come before it.
            sequence = _log.Append(Encoding.UTF8.GetBytes(change), LogDurability.Buffered);
            Apply(change);
        }

        // Only now may somebody be told that it happened.
        await _log.WaitDurableAsync(sequence);
    }

    public void Dispose() => _log.Dispose();

    private void Apply(string change)
    {
        int equals = change.LastIndexOf('=');
        _values[change[..equals]] = int.Parse(change.AsSpan(equals + 1), CultureInfo.InvariantCulture);
    }
}
