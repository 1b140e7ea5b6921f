using System.Diagnostics;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;

namespace Sluice.Cli.Programs.Examples;

/// <summary>Runs cases on one file, times them, and compares what they read or wrote with the records themselves.</summary>
internal sealed class ExampleRun
{
    private const int CheckBytes = 1 << 20;

    private readonly string _path;
    private readonly long _count;
    private readonly CancellationToken _cancellationToken;
    private readonly Checksum _expectedBytes;
    private readonly Checksum _expectedLines;

    public ExampleRun(string path, long count, CancellationToken cancellationToken)
    {
        _path = path;
        _count = count;
        _cancellationToken = cancellationToken;
        _expectedBytes = new Checksum(cancellationToken);
        _expectedLines = new Checksum(cancellationToken);
        RecordSource records = Records();
        while (records.TryNext(out ReadOnlySpan<byte> record))
        {
            _expectedBytes.Add(record);
            _expectedLines.AddLine(record[..^2]);
        }
    }

    public uint Crc => _expectedBytes.Crc;

    /// <summary>Makes the file that is read, in the page cache and on the disk: direct reads must not have to wait for it.</summary>
    public void MakeFile()
    {
        using FileStream file = new(_path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        RecordSource records = Records();
        byte[] block = new byte[CheckBytes];
        int bytes;
        while ((bytes = records.Fill(block)) > 0)
            file.Write(block.AsSpan(0, bytes));
        file.Flush(flushToDisk: true);
    }

    /// <summary>Before a run that counts, untimed: the disk has what the runs before have written, and the garbage is gone.</summary>
    public void Settle(ExampleCase example)
    {
        if (example.Writes)
        {
            File.Delete(_path);
            Settling.FileSystemOf(Path.GetDirectoryName(_path)!);
        }
        Settling.Memory();
    }

    /// <summary>One timed run. The check comes after it.</summary>
    /// <param name="times">Gets the time, or the difference.</param>
    public async Task MeasureAsync(ExampleCase example, ExampleTimes times)
    {
        var seen = new Checksum(_cancellationToken);
        if (example.Writes)
            File.Delete(_path);
        TimeSpan cpu = CpuMeter.ProcessTime();
        long start = Stopwatch.GetTimestamp();
        await (example.Write?.Invoke(_path, Records()) ?? example.Read!(_path, seen));
        TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
        TimeSpan used = CpuMeter.ProcessTime() - cpu;
        if (example.Writes)
            ReadBack(seen);
        // Not before: a time whose result nobody has looked at, because the run was ended, counts for nothing.
        times.Seconds.Add(elapsed.TotalSeconds);
        times.CpuSeconds.Add(used.TotalSeconds);
        Checksum expected = !example.Writes && example.Unit == ExampleUnit.Line ? _expectedLines : _expectedBytes;
        times.Difference ??= seen.Difference(expected);
    }

    private RecordSource Records() => new(_count, _cancellationToken);

    private void ReadBack(Checksum seen)
    {
        using FileStream file = new(_path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        byte[] block = new byte[CheckBytes];
        int bytes;
        while ((bytes = file.Read(block)) > 0)
            seen.Add(block.AsSpan(0, bytes));
    }
}

/// <summary>What one case took in each round, and what its result lacked in any.</summary>
internal sealed class ExampleTimes
{
    public List<double> Seconds { get; } = [];

    public List<double> CpuSeconds { get; } = [];

    /// <summary>Null: every round gave what it should.</summary>
    public string? Difference { get; set; }
}
