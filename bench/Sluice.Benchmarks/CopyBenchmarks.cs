using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Benchmarks;

/// <summary>CopyToAsync from a file, hot, to a file written by a stream of the same kind, and to a sink.</summary>
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class CopyBenchmarks
{
    private BenchmarkFiles _files = null!;
    private StreamOpening _source = null!;
    private StreamOpening _destination = null!;

    [Params(BenchmarkFiles.OneKibibyte, BenchmarkFiles.OneMebibyte, BenchmarkFiles.HundredMebibytes)]
    public long FileSize { get; set; }

    [Params(FileOptions.None, FileOptions.Asynchronous)]
    public FileOptions Options { get; set; }

    [GlobalSetup]
    public void MakeFiles()
    {
        _files = new BenchmarkFiles();
        bool asynchronous = Options == FileOptions.Asynchronous;
        _source = StreamOpening.Reading(_files.Source(FileSize), FileSize, asynchronous);
        _destination = StreamOpening.Writing(_files.Destination, FileSize, asynchronous);
    }

    [GlobalCleanup]
    public void DeleteFiles() => _files.Dispose();

    [Benchmark(Baseline = true), BenchmarkCategory("CopyToFileAsync")]
    public ValueTask<long> CopyToFileAsync_FileStream() => StreamPasses.CopyAsync<FileStreamSide>(_source, _destination);

    [Benchmark, BenchmarkCategory("CopyToFileAsync")]
    public ValueTask<long> CopyToFileAsync_SluiceStream() => StreamPasses.CopyAsync<SluiceStreamSide>(_source, _destination);

    [Benchmark(Baseline = true), BenchmarkCategory("CopyToSinkAsync")]
    public ValueTask<long> CopyToSinkAsync_FileStream() => StreamPasses.CopyToSinkAsync<FileStreamSide>(_source);

    [Benchmark, BenchmarkCategory("CopyToSinkAsync")]
    public ValueTask<long> CopyToSinkAsync_SluiceStream() => StreamPasses.CopyToSinkAsync<SluiceStreamSide>(_source);
}
