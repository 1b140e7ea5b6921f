using BenchmarkDotNet.Attributes;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Benchmarks;

/// <summary>PreallocationSize of the .NET 6 text: 100 MB by 16,000 bytes, with and without.</summary>
public class PreallocationBenchmarks
{
    private const long FileSize = 100_000_000;

    private readonly byte[] _buffer = new byte[16_000];
    private BenchmarkFiles _files = null!;
    private StreamOpening _opening = null!;

    [Params(true, false)]
    public bool SpecifyPreallocationSize { get; set; }

    [GlobalSetup]
    public void MakeFiles()
    {
        new Random(1).NextBytes(_buffer);
        _files = new BenchmarkFiles();
        _opening = new StreamOpening(_files.Destination, FileMode.Create, FileAccess.Write, FileSize)
        {
            PreallocationSizeBytes = SpecifyPreallocationSize ? FileSize : 0,
        };
    }

    [GlobalCleanup]
    public void DeleteFiles() => _files.Dispose();

    [Benchmark(Baseline = true)]
    public long PreallocationSize_FileStream() => StreamPasses.Write<FileStreamSide>(_opening, _buffer);

    [Benchmark]
    public long PreallocationSize_SluiceStream() => StreamPasses.Write<SluiceStreamSide>(_opening, _buffer);
}
