using System.Text;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Benchmarks;

/// <summary>What programs put on top of a stream: numbers and lines, 20 MB of them.</summary>
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class ReaderBenchmarks
{
    private const int FileSize = 20_000_000;
    private const int LineLength = 50;

    private BenchmarkFiles _files = null!;
    private StreamOpening _numbers = null!;
    private StreamOpening _lines = null!;
    private StreamOpening _linesAsync = null!;

    [GlobalSetup]
    public void MakeFiles()
    {
        _files = new BenchmarkFiles();
        _numbers = StreamOpening.Reading(_files.Source(FileSize), FileSize);
        var text = new StringBuilder(FileSize);
        while (text.Length < FileSize)
            text.Append('x', LineLength - 1).Append('\n');
        File.WriteAllText(_files.Destination, text.ToString());
        _lines = StreamOpening.Reading(_files.Destination, FileSize);
        _linesAsync = StreamOpening.Reading(_files.Destination, FileSize, asynchronous: true);
    }

    [GlobalCleanup]
    public void DeleteFiles() => _files.Dispose();

    [Benchmark(Baseline = true), BenchmarkCategory("ReadInt32")]
    public long ReadInt32_FileStream() => StreamPasses.ReadInt32s<FileStreamSide>(_numbers);

    [Benchmark, BenchmarkCategory("ReadInt32")]
    public long ReadInt32_SluiceStream() => StreamPasses.ReadInt32s<SluiceStreamSide>(_numbers);

    [Benchmark(Baseline = true), BenchmarkCategory("ReadLine")]
    public long ReadLine_FileStream() => StreamPasses.ReadLines<FileStreamSide>(_lines);

    [Benchmark, BenchmarkCategory("ReadLine")]
    public long ReadLine_SluiceStream() => StreamPasses.ReadLines<SluiceStreamSide>(_lines);

    [Benchmark(Baseline = true), BenchmarkCategory("ReadLineAsync")]
    public ValueTask<long> ReadLineAsync_FileStream() => StreamPasses.ReadLinesAsync<FileStreamSide>(_linesAsync);

    [Benchmark, BenchmarkCategory("ReadLineAsync")]
    public ValueTask<long> ReadLineAsync_SluiceStream() => StreamPasses.ReadLinesAsync<SluiceStreamSide>(_linesAsync);
}
