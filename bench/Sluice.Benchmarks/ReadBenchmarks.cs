using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Benchmarks;

/// <summary>Whole files read, hot, from open to close.</summary>
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class ReadBenchmarks
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

    [Benchmark(Baseline = true), BenchmarkCategory("Read"), ArgumentsSource(nameof(Cases))]
    public long Read_FileStream(long fileSize, int userBufferSize, FileOptions options, StreamBuffering buffering) =>
        StreamPasses.Read<FileStreamSide>(Opening(fileSize, options, buffering), _userBuffers[userBufferSize]);

    [Benchmark, BenchmarkCategory("Read"), ArgumentsSource(nameof(Cases))]
    public long Read_SluiceStream(long fileSize, int userBufferSize, FileOptions options, StreamBuffering buffering) =>
        StreamPasses.Read<SluiceStreamSide>(Opening(fileSize, options, buffering), _userBuffers[userBufferSize]);

    [Benchmark(Baseline = true), BenchmarkCategory("ReadAsync"), ArgumentsSource(nameof(Cases))]
    public ValueTask<long> ReadAsync_FileStream(long fileSize, int userBufferSize, FileOptions options, StreamBuffering buffering) =>
        StreamPasses.ReadAsync<FileStreamSide>(Opening(fileSize, options, buffering), _userBuffers[userBufferSize]);

    [Benchmark, BenchmarkCategory("ReadAsync"), ArgumentsSource(nameof(Cases))]
    public ValueTask<long> ReadAsync_SluiceStream(long fileSize, int userBufferSize, FileOptions options, StreamBuffering buffering) =>
        StreamPasses.ReadAsync<SluiceStreamSide>(Opening(fileSize, options, buffering), _userBuffers[userBufferSize]);

    private StreamOpening Opening(long fileSize, FileOptions options, StreamBuffering buffering)
    {
        // Made once: what it allocates is none of the stream's.
        ref StreamOpening? opening = ref CollectionsMarshal.GetValueRefOrAddDefault(_openings, (fileSize, options, buffering), out _);
        return opening ??= TransferCase.Reading(_files.Source(fileSize), fileSize, options, buffering);
    }
}
