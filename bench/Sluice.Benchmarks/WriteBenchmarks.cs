using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Benchmarks;

/// <summary>Whole files written, from FileMode.Create to close.</summary>
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class WriteBenchmarks
{
    private readonly Dictionary<int, byte[]> _userBuffers = [];
    private readonly Dictionary<(long FileSize, FileOptions Options, StreamBuffering Buffering), StreamOpening?> _openings = [];
    private BenchmarkFiles _files = null!;

    public static IEnumerable<object[]> Cases => TransferCase.All();

    [GlobalSetup]
    public void MakeFiles()
    {
        _files = new BenchmarkFiles();
        foreach (int size in Cases.Select(c => (int)c[1]).Distinct())
        {
            byte[] buffer = _userBuffers[size] = new byte[size];
            new Random(size).NextBytes(buffer);
        }
    }

    [GlobalCleanup]
    public void DeleteFiles() => _files.Dispose();

    [Benchmark(Baseline = true), BenchmarkCategory("Write"), ArgumentsSource(nameof(Cases))]
    public long Write_FileStream(long fileSize, int userBufferSize, FileOptions options, StreamBuffering buffering) =>
        StreamPasses.Write<FileStreamSide>(Opening(fileSize, options, buffering), _userBuffers[userBufferSize]);

    [Benchmark, BenchmarkCategory("Write"), ArgumentsSource(nameof(Cases))]
    public long Write_SluiceStream(long fileSize, int userBufferSize, FileOptions options, StreamBuffering buffering) =>
        StreamPasses.Write<SluiceStreamSide>(Opening(fileSize, options, buffering), _userBuffers[userBufferSize]);

    [Benchmark(Baseline = true), BenchmarkCategory("WriteAsync"), ArgumentsSource(nameof(Cases))]
    public ValueTask<long> WriteAsync_FileStream(long fileSize, int userBufferSize, FileOptions options, StreamBuffering buffering) =>
        StreamPasses.WriteAsync<FileStreamSide>(Opening(fileSize, options, buffering), _userBuffers[userBufferSize]);

    [Benchmark, BenchmarkCategory("WriteAsync"), ArgumentsSource(nameof(Cases))]
    public ValueTask<long> WriteAsync_SluiceStream(long fileSize, int userBufferSize, FileOptions options, StreamBuffering buffering) =>
        StreamPasses.WriteAsync<SluiceStreamSide>(Opening(fileSize, options, buffering), _userBuffers[userBufferSize]);

    private StreamOpening Opening(long fileSize, FileOptions options, StreamBuffering buffering)
    {
        // Made once: what it allocates is none of the stream's.
        ref StreamOpening? opening = ref CollectionsMarshal.GetValueRefOrAddDefault(_openings, (fileSize, options, buffering), out _);
        return opening ??= TransferCase.Writing(_files.Destination, fileSize, options, buffering);
    }
}
