using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Benchmarks;

/// <summary>20 MB byte by byte; the time is that of one byte. FileStream has no ReadByteAsync, so ReadAsync of one byte stands beside it.</summary>
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class ByteBenchmarks
{
    private const int FileSize = 20_000_000;

    private readonly byte[] _oneByte = new byte[1];
    private BenchmarkFiles _files = null!;
    private StreamOpening _reading = null!;
    private StreamOpening _readingAsync = null!;
    private StreamOpening _writing = null!;

    [GlobalSetup]
    public void MakeFiles()
    {
        _files = new BenchmarkFiles();
        _reading = StreamOpening.Reading(_files.Source(FileSize), FileSize);
        _readingAsync = StreamOpening.Reading(_files.Source(FileSize), FileSize, asynchronous: true);
        _writing = StreamOpening.Writing(_files.Destination, FileSize);
    }

    [GlobalCleanup]
    public void DeleteFiles() => _files.Dispose();

    [Benchmark(Baseline = true, OperationsPerInvoke = FileSize), BenchmarkCategory("ReadByte")]
    public long ReadByte_FileStream() => StreamPasses.ReadBytes<FileStreamSide>(_reading);

    [Benchmark(OperationsPerInvoke = FileSize), BenchmarkCategory("ReadByte")]
    public long ReadByte_SluiceStream() => StreamPasses.ReadBytes<SluiceStreamSide>(_reading);

    [Benchmark(Baseline = true, OperationsPerInvoke = FileSize), BenchmarkCategory("WriteByte")]
    public long WriteByte_FileStream() => StreamPasses.WriteBytes<FileStreamSide>(_writing);

    [Benchmark(OperationsPerInvoke = FileSize), BenchmarkCategory("WriteByte")]
    public long WriteByte_SluiceStream() => StreamPasses.WriteBytes<SluiceStreamSide>(_writing);

    [Benchmark(Baseline = true, OperationsPerInvoke = FileSize), BenchmarkCategory("ReadByteAsync")]
    public ValueTask<long> ReadByteAsync_FileStream() => StreamPasses.ReadAsync<FileStreamSide>(_readingAsync, _oneByte);

    [Benchmark(OperationsPerInvoke = FileSize), BenchmarkCategory("ReadByteAsync")]
    public ValueTask<long> ReadByteAsync_SluiceStream() => StreamPasses.ReadBytesAsync(_readingAsync);
}
