using BenchmarkDotNet.Attributes;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Benchmarks;

/// <summary>A stream opened and closed without a transfer.</summary>
public class OpenCloseBenchmarks
{
    private BenchmarkFiles _files = null!;
    private StreamOpening _opening = null!;

    [Params(FileOptions.None, FileOptions.Asynchronous)]
    public FileOptions Options { get; set; }

    [GlobalSetup]
    public void MakeFiles()
    {
        _files = new BenchmarkFiles();
        _opening = StreamOpening.Reading(
            _files.Source(BenchmarkFiles.OneKibibyte), BenchmarkFiles.OneKibibyte, Options == FileOptions.Asynchronous);
    }

    [GlobalCleanup]
    public void DeleteFiles() => _files.Dispose();

    [Benchmark(Baseline = true)]
    public long OpenClose_FileStream() => StreamPasses.OpenAndClose<FileStreamSide>(_opening);

    [Benchmark]
    public long OpenClose_SluiceStream() => StreamPasses.OpenAndClose<SluiceStreamSide>(_opening);
}
