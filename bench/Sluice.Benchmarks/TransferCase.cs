using Sluice.Cli.Bench.Streams;

namespace Sluice.Benchmarks;

/// <summary>The cases of the .NET 6 text: file sizes by user buffers by options by the stream's own buffer.</summary>
public static class TransferCase
{
    public static IEnumerable<object[]> All() =>
        from fileSize in new long[] { BenchmarkFiles.OneKibibyte, BenchmarkFiles.OneMebibyte, BenchmarkFiles.HundredMebibytes }
        from userBufferSize in new[] { 512, 4096, 16_384 }
        from options in new[] { FileOptions.None, FileOptions.Asynchronous }
        from buffering in Enum.GetValues<StreamBuffering>()
        select new object[] { fileSize, userBufferSize, options, buffering };

    internal static StreamOpening Reading(string path, long fileSize, FileOptions options, StreamBuffering buffering) =>
        StreamOpening.Reading(path, fileSize, options.HasFlag(FileOptions.Asynchronous), BufferSizeBytes(buffering));

    internal static StreamOpening Writing(string path, long fileSize, FileOptions options, StreamBuffering buffering) =>
        StreamOpening.Writing(path, fileSize, options.HasFlag(FileOptions.Asynchronous), BufferSizeBytes(buffering));

    private static int? BufferSizeBytes(StreamBuffering buffering) => buffering switch
    {
        StreamBuffering.None => 0,
        StreamBuffering.Fixed4096 => 4096,
        _ => null,
    };
}
