using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Examples;

/// <summary>Measures cases on one file. After the measured time, the data that a case read or wrote is compared with the records.</summary>
internal sealed class ExampleRun
{
    private const int CheckBytes = 1 << 20;

    private readonly string _path;
    private readonly long _count;
    private readonly int _runs;
    private readonly CancellationToken _cancellationToken;
    private readonly Checksum _expectedBytes;
    private readonly Checksum _expectedLines;

    /// <param name="runs">The number of times that a case runs in one slice.</param>
    public ExampleRun(string path, long count, int runs, CancellationToken cancellationToken)
    {
        (_path, _count, _runs, _cancellationToken) = (path, count, runs, cancellationToken);
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

    /// <summary>The cases with a wrong result, with a description of the difference.</summary>
    public Dictionary<ExampleCase, string> Wrong { get; } = [];

    /// <summary>Creates the file to read in the page cache, and flushes it so that direct reads do not wait for its writeback.</summary>
    public void MakeFile()
    {
        using FileStream file = new(_path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        RecordSource records = Records();
        byte[] block = new byte[CheckBytes];
        for (int bytes; (bytes = records.Fill(block)) > 0;)
            file.Write(block.AsSpan(0, bytes));
        file.Flush(flushToDisk: true);
    }

    public Contender ContenderOf(ExampleCase example)
    {
        Checksum seen = new();
        return new Contender(example.Name, async slice =>
        {
            for (int i = 0; i < _runs; i++)
            {
                _cancellationToken.ThrowIfCancellationRequested();
                seen = new Checksum(_cancellationToken);
                await example.RunAsync(_path, Records(), seen);
                slice.Count(0);
            }
        })
        {
            MeasuresAllocations = true,
            Prepare = () =>
            {
                if (example.Writes)
                {
                    File.Delete(_path);
                    Settling.FileSystemOf(Path.GetDirectoryName(_path)!);
                }
                Settling.Memory();
            },
            Verify = _ =>
            {
                if (example.Writes)
                    ReadBack(seen);
                Checksum expected = !example.Writes && example.Unit == ExampleUnit.Line ? _expectedLines : _expectedBytes;
                if (seen.Difference(expected) is { } difference)
                    Wrong.TryAdd(example, difference);
            },
        };
    }

    private RecordSource Records() => new(_count, _cancellationToken);

    private void ReadBack(Checksum seen)
    {
        using FileStream file = new(_path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        byte[] block = new byte[CheckBytes];
        for (int bytes; (bytes = file.Read(block)) > 0;)
            seen.Add(block.AsSpan(0, bytes));
    }
}
