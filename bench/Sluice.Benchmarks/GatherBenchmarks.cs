using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Microsoft.Win32.SafeHandles;

namespace Sluice.Benchmarks;

/// <summary>WriteGather of the .NET 6 text: 100 MB by single writes of 16,000 bytes, and by four of them in one call.</summary>
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class GatherBenchmarks
{
    private const int SegmentSize = 16_000;
    private const int SegmentCount = 4;
    private const long FileSize = 100_000_000 / (SegmentSize * SegmentCount) * (SegmentSize * SegmentCount);

    private readonly byte[] _segment = new byte[SegmentSize];
    private ReadOnlyMemory<byte>[] _segments = [];
    private BenchmarkFiles _files = null!;

    [GlobalSetup]
    public void MakeFiles()
    {
        new Random(1).NextBytes(_segment);
        _segments = [_segment, _segment, _segment, _segment];
        _files = new BenchmarkFiles();
    }

    [GlobalCleanup]
    public void DeleteFiles() => _files.Dispose();

    [Benchmark(Baseline = true), BenchmarkCategory("Write")]
    public void Write_RandomAccess()
    {
        using SafeFileHandle file = File.OpenHandle(_files.Destination, FileMode.Create, FileAccess.Write);
        for (long offset = 0; offset < FileSize; offset += SegmentSize)
            RandomAccess.Write(file, _segment, offset);
    }

    [Benchmark, BenchmarkCategory("Write")]
    public void Write_SluiceHandle()
    {
        using SluiceHandle file = SluiceHandle.Open(_files.Destination, FileMode.Create, FileAccess.Write);
        for (long offset = 0; offset < FileSize; offset += SegmentSize)
            file.Write(_segment, offset);
    }

    [Benchmark(Baseline = true), BenchmarkCategory("WriteGather")]
    public void WriteGather_RandomAccess()
    {
        using SafeFileHandle file = File.OpenHandle(_files.Destination, FileMode.Create, FileAccess.Write);
        for (long offset = 0; offset < FileSize; offset += SegmentSize * SegmentCount)
            RandomAccess.Write(file, _segments, offset);
    }

    [Benchmark, BenchmarkCategory("WriteGather")]
    public void WriteGather_SluiceHandle()
    {
        using SluiceHandle file = SluiceHandle.Open(_files.Destination, FileMode.Create, FileAccess.Write);
        for (long offset = 0; offset < FileSize; offset += SegmentSize * SegmentCount)
            file.Write(_segments, offset);
    }
}
