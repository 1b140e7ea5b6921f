namespace Sluice.Cli.Bench.Logs;

/// <summary>A log as a killed writer leaves it, and the same records in one plain file.</summary>
internal sealed class MadeLog : IDisposable
{
    private readonly string _directory;
    private readonly string _plain;
    private readonly string _state;
    private readonly string _last;
    private readonly byte[] _stateBytes;
    private readonly string _lastCopy;

    public MadeLog(BenchContext context)
    {
        (_directory, _plain) = (context.KeptPath("log-made"), context.KeptPath("log-plain.dat"));
        (_state, _lastCopy) = (Path.Combine(_directory, "log.state"), context.KeptPath("log-last.dat"));
        byte[] record = new byte[LogSuite.RecordBytes];
        // A little less than whole segments, so that the last one is nearly full: an opening has the most to check then.
        long records = context.Scale.LogFileBytes / (LogSuite.RecordBytes + sizeof(int)) / 200 * 199;
        using (SluiceLog log = SluiceLog.Open(_directory, new SluiceLogOptions { Durability = LogDurability.Buffered }))
        using (BinaryWriter plain = new(File.Create(_plain)))
        {
            for (long i = 0; i < records; i++)
            {
                log.Append(record);
                plain.Write(record.Length);
                plain.Write(record);
            }

            // As it is while it is open: the last segment has no footer, and its reserved space.
            log.Flush();
            _last = Directory.GetFiles(_directory, "*.slog").Where(HasFrames).Max()!;
            File.Copy(_last, _lastCopy);
            _stateBytes = File.ReadAllBytes(_state);
        }

        // What closing has made of the rest stays: it is sealed.
        Crash();
    }

    /// <summary>Not so the segment that was made ahead.</summary>
    private static bool HasFrames(string path)
    {
        const int headerBytes = 64;
        Span<byte> start = stackalloc byte[headerBytes + sizeof(long)];
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        return file.ReadAtLeast(start, start.Length, throwOnEndOfStream: false) == start.Length
            && start[headerBytes..].ContainsAnyExcept((byte)0);
    }

    /// <summary>Makes the last segment what it was when the writer was killed, on the disk: its writer had flushed it.</summary>
    public void Crash()
    {
        File.Copy(_lastCopy, _last, overwrite: true);
        using (FileStream last = new(_last, FileMode.Open, FileAccess.ReadWrite))
        {
            last.Flush(flushToDisk: true);
        }

        File.WriteAllBytes(_state, _stateBytes);
    }

    public void OpenCrashed() => SluiceLog.Open(_directory).Dispose();

    public long Read()
    {
        long records = 0;
        using SluiceLogReader reader = new(_directory);
        foreach (LogEntry entry in reader.Entries)
            records += entry.Bytes.Length == LogSuite.RecordBytes ? 1 : 0;
        return records;
    }

    public long ReadPlain()
    {
        long records = 0;
        using FileStream file = new(_plain, FileMode.Open, FileAccess.Read, FileShare.Read, 64 * 1024);
        using BinaryReader reader = new(file);
        Span<byte> record = stackalloc byte[LogSuite.RecordBytes];
        while (file.Position < file.Length)
        {
            reader.BaseStream.ReadExactly(record[..reader.ReadInt32()]);
            records++;
        }

        return records;
    }

    public void ReadLastSegment()
    {
        byte[] buffer = new byte[1 << 20];
        using FileStream file = new(_lastCopy, FileMode.Open, FileAccess.Read, FileShare.Read, 0);
        while (file.Read(buffer) > 0)
        {
        }
    }

    public void Dispose()
    {
        Directory.Delete(_directory, recursive: true);
        File.Delete(_plain);
        File.Delete(_lastCopy);
    }
}
