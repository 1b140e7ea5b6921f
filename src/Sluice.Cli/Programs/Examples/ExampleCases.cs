using Sluice.Cli.Programs.Examples.Cases;

namespace Sluice.Cli.Programs.Examples;

/// <summary>All cases, those of .NET before those that are compared with them.</summary>
internal static class ExampleCases
{
    public const string DotNet = ".NET";

    private const string DotNetAsync = ".NET async";
    private const string Stream = "SluiceStream";
    private const string StreamAsync = "SluiceStream async";
    private const string Sequential = "SluiceReader/Writer";
    private const string SequentialAsync = "SluiceReader/Writer async";
    private const string Strings = "SluiceReader strings";
    private const string Direct = "Sluice direct";

    public static IReadOnlyList<ExampleCase> All { get; } =
    [
        Writing(nameof(WriteByteFileStream), ExampleUnit.Byte, DotNet, WriteByteFileStream.Run),
        Writing(nameof(WriteByteSluiceStream), ExampleUnit.Byte, Stream, WriteByteSluiceStream.Run),
        WritingAsync(nameof(WriteByteSluiceStreamAsync), ExampleUnit.Byte, StreamAsync, WriteByteSluiceStreamAsync.RunAsync),
        Writing(nameof(WriteByteDirect), ExampleUnit.Byte, Direct, WriteByteDirect.Run),
        Writing(nameof(WriteLineStreamWriter), ExampleUnit.Line, DotNet, WriteLineStreamWriter.Run),
        WritingAsync(nameof(WriteLineStreamWriterAsync), ExampleUnit.Line, DotNetAsync, WriteLineStreamWriterAsync.RunAsync),
        Writing(nameof(WriteLineSluiceWriter), ExampleUnit.Line, Sequential, WriteLineSluiceWriter.Run),
        Writing(nameof(WriteLineDirect), ExampleUnit.Line, Direct, WriteLineDirect.Run),
        Writing(nameof(WriteBlockFileStream), ExampleUnit.Block, DotNet, WriteBlockFileStream.Run),
        WritingAsync(nameof(WriteBlockFileStreamAsync), ExampleUnit.Block, DotNetAsync, WriteBlockFileStreamAsync.RunAsync),
        Writing(nameof(WriteBlockSluiceStream), ExampleUnit.Block, Stream, WriteBlockSluiceStream.Run),
        Writing(nameof(WriteBlockSluiceWriter), ExampleUnit.Block, Sequential, WriteBlockSluiceWriter.Run),
        WritingAsync(nameof(WriteBlockSluiceWriterAsync), ExampleUnit.Block, SequentialAsync, WriteBlockSluiceWriterAsync.RunAsync),
        Writing(nameof(WriteBlockDirect), ExampleUnit.Block, Direct, WriteBlockDirect.Run),
        Reading(nameof(ReadByteFileStream), ExampleUnit.Byte, DotNet, ReadByteFileStream.Run),
        Reading(nameof(ReadByteSluiceStream), ExampleUnit.Byte, Stream, ReadByteSluiceStream.Run),
        ReadingAsync(nameof(ReadByteSluiceStreamAsync), ExampleUnit.Byte, StreamAsync, ReadByteSluiceStreamAsync.RunAsync),
        Reading(nameof(ReadByteDirect), ExampleUnit.Byte, Direct, ReadByteDirect.Run),
        Reading(nameof(ReadLineStreamReader), ExampleUnit.Line, DotNet, ReadLineStreamReader.Run),
        ReadingAsync(nameof(ReadLineStreamReaderAsync), ExampleUnit.Line, DotNetAsync, ReadLineStreamReaderAsync.RunAsync),
        Reading(nameof(ReadLineSluiceReader), ExampleUnit.Line, Sequential, ReadLineSluiceReader.Run),
        ReadingAsync(nameof(ReadLineSluiceReaderAsync), ExampleUnit.Line, SequentialAsync, ReadLineSluiceReaderAsync.RunAsync),
        Reading(nameof(ReadLineSluiceReaderStrings), ExampleUnit.Line, Strings, ReadLineSluiceReaderStrings.Run),
        Reading(nameof(ReadLineDirect), ExampleUnit.Line, Direct, ReadLineDirect.Run),
        Reading(nameof(ReadBlockFileStream), ExampleUnit.Block, DotNet, ReadBlockFileStream.Run),
        ReadingAsync(nameof(ReadBlockFileStreamAsync), ExampleUnit.Block, DotNetAsync, ReadBlockFileStreamAsync.RunAsync),
        Reading(nameof(ReadBlockSluiceStream), ExampleUnit.Block, Stream, ReadBlockSluiceStream.Run),
        Reading(nameof(ReadBlockSluiceReader), ExampleUnit.Block, Sequential, ReadBlockSluiceReader.Run),
        ReadingAsync(nameof(ReadBlockSluiceReaderAsync), ExampleUnit.Block, SequentialAsync, ReadBlockSluiceReaderAsync.RunAsync),
        Reading(nameof(ReadBlockDirect), ExampleUnit.Block, Direct, ReadBlockDirect.Run),
    ];

    private static ExampleCase Reading(string className, ExampleUnit unit, string way, Action<string, Checksum> run) =>
        ReadingAsync(className, unit, way, (path, seen) =>
        {
            run(path, seen);
            return Task.CompletedTask;
        });

    private static ExampleCase ReadingAsync(string className, ExampleUnit unit, string way, Func<string, Checksum, Task> run) =>
        new(className, unit, way) { Read = run };

    private static ExampleCase Writing(string className, ExampleUnit unit, string way, Action<string, RecordSource> run) =>
        WritingAsync(className, unit, way, (path, records) =>
        {
            run(path, records);
            return Task.CompletedTask;
        });

    private static ExampleCase WritingAsync(string className, ExampleUnit unit, string way, Func<string, RecordSource, Task> run) =>
        new(className, unit, way) { Write = run };
}
