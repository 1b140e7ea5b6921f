using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Benchmarks;

/// <summary>SeekForward, SeekBackward and GetLength of the .NET 6 text: a stream opened, moved 1024 times, closed; and Position.</summary>
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
public class PositionBenchmarks
{
    private const int FileSize = BenchmarkFiles.OneKibibyte;

    private BenchmarkFiles _files = null!;
    private StreamOpening _synchronous = null!;
    private StreamOpening _asynchronous = null!;
    private StreamOpening _shared = null!;

    [GlobalSetup]
    public void MakeFiles()
    {
        _files = new BenchmarkFiles();
        string path = _files.Source(FileSize);
        _synchronous = StreamOpening.Reading(path, FileSize);
        _asynchronous = StreamOpening.Reading(path, FileSize, asynchronous: true);
        _shared = new StreamOpening(path, FileMode.Open, FileAccess.Read, FileSize) { Share = FileShare.Write };
    }

    [GlobalCleanup]
    public void DeleteFiles() => _files.Dispose();

    [Benchmark(Baseline = true), BenchmarkCategory("SeekForward")]
    [Arguments(FileOptions.None), Arguments(FileOptions.Asynchronous)]
    public void SeekForward_FileStream(FileOptions options) => SeekForward<FileStreamSide>(Opening(options));

    [Benchmark, BenchmarkCategory("SeekForward")]
    [Arguments(FileOptions.None), Arguments(FileOptions.Asynchronous)]
    public void SeekForward_SluiceStream(FileOptions options) => SeekForward<SluiceStreamSide>(Opening(options));

    [Benchmark(Baseline = true), BenchmarkCategory("SeekBackward")]
    [Arguments(FileOptions.None), Arguments(FileOptions.Asynchronous)]
    public void SeekBackward_FileStream(FileOptions options) => SeekBackward<FileStreamSide>(Opening(options));

    [Benchmark, BenchmarkCategory("SeekBackward")]
    [Arguments(FileOptions.None), Arguments(FileOptions.Asynchronous)]
    public void SeekBackward_SluiceStream(FileOptions options) => SeekBackward<SluiceStreamSide>(Opening(options));

    [Benchmark(Baseline = true), BenchmarkCategory("Position")]
    [Arguments(FileOptions.None), Arguments(FileOptions.Asynchronous)]
    public void Position_FileStream(FileOptions options) => SetPosition<FileStreamSide>(Opening(options));

    [Benchmark, BenchmarkCategory("Position")]
    [Arguments(FileOptions.None), Arguments(FileOptions.Asynchronous)]
    public void Position_SluiceStream(FileOptions options) => SetPosition<SluiceStreamSide>(Opening(options));

    [Benchmark(Baseline = true, OperationsPerInvoke = FileSize), BenchmarkCategory("GetLength")]
    [Arguments(FileShare.Read), Arguments(FileShare.Write)]
    public long GetLength_FileStream(FileShare share) => GetLength<FileStreamSide>(Opening(share));

    [Benchmark(OperationsPerInvoke = FileSize), BenchmarkCategory("GetLength")]
    [Arguments(FileShare.Read), Arguments(FileShare.Write)]
    public long GetLength_SluiceStream(FileShare share) => GetLength<SluiceStreamSide>(Opening(share));

    private StreamOpening Opening(FileOptions options) => options == FileOptions.Asynchronous ? _asynchronous : _synchronous;

    private StreamOpening Opening(FileShare share) => share == FileShare.Write ? _shared : _synchronous;

    private static void SeekForward<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        for (long offset = 0; offset < FileSize; offset++)
            side.Seek(offset, SeekOrigin.Begin);
    }

    private static void SeekBackward<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        for (long offset = -1; offset >= -FileSize; offset--)
            side.Seek(offset, SeekOrigin.End);
    }

    private static void SetPosition<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        TSide side = TSide.Open(opening);
        for (long offset = 0; offset < FileSize; offset++)
            side.Position = offset;
        side.Dispose();
    }

    private static long GetLength<TSide>(StreamOpening opening)
        where TSide : struct, IStreamSide<TSide>
    {
        using TSide side = TSide.Open(opening);
        long length = 0;
        for (int i = 0; i < FileSize; i++)
            length = side.Length;
        return length;
    }
}
