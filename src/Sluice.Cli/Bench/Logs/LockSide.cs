namespace Sluice.Cli.Bench.Logs;

/// <summary>The alternative to SluiceLog: a lock around a FileStream.</summary>
internal sealed class LockSide(BenchContext context, string name, bool flushes, bool flushToDisk) : IDisposable
{
    private static readonly byte[] Record = new byte[LogSuite.RecordBytes];
    private readonly Lock _lock = new();
    private readonly FileStream _file = new(context.ScratchFile(name), FileMode.Create, FileAccess.Write, FileShare.Read);

    public void Renew() => _file.SetLength(0);

    public void Append()
    {
        lock (_lock)
        {
            _file.Write(Record);
            if (flushes)
                _file.Flush(flushToDisk);
        }
    }

    public void Verify(long records)
    {
        _file.Flush();
        FileCheck.Length(_file.Name, records * Record.Length);
    }

    public void WriteUnlocked() => _file.Write(Record);

    public void Finish() => _file.Flush();

    public void Dispose() => _file.Dispose();
}
