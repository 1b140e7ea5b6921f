using System.Runtime.CompilerServices;
using static Sluice.Cli.Programs.Examples.ReadCases;
using static Sluice.Cli.Programs.Examples.WriteCases;

namespace Sluice.Cli.Programs.Examples;

/// <summary>The list of all cases. Those of .NET precede the cases that are compared with them.</summary>
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
        Writing(WriteByteFileStream, ExampleUnit.Byte, DotNet),
        Writing(WriteByteSluiceStream, ExampleUnit.Byte, Stream),
        Writing(WriteByteSluiceStreamAsync, ExampleUnit.Byte, StreamAsync),
        Writing(WriteByteDirect, ExampleUnit.Byte, Direct),
        Writing(WriteLineStreamWriter, ExampleUnit.Line, DotNet),
        Writing(WriteLineStreamWriterAsync, ExampleUnit.Line, DotNetAsync),
        Writing(WriteLineSluiceWriter, ExampleUnit.Line, Sequential),
        Writing(WriteLineDirect, ExampleUnit.Line, Direct),
        Writing(WriteBlockFileStream, ExampleUnit.Block, DotNet),
        Writing(WriteBlockFileStreamAsync, ExampleUnit.Block, DotNetAsync),
        Writing(WriteBlockSluiceStream, ExampleUnit.Block, Stream),
        Writing(WriteBlockSluiceWriter, ExampleUnit.Block, Sequential),
        Writing(WriteBlockSluiceWriterAsync, ExampleUnit.Block, SequentialAsync),
        Writing(WriteBlockDirect, ExampleUnit.Block, Direct),
        Reading(ReadByteFileStream, ExampleUnit.Byte, DotNet),
        Reading(ReadByteSluiceStream, ExampleUnit.Byte, Stream),
        Reading(ReadByteSluiceStreamAsync, ExampleUnit.Byte, StreamAsync),
        Reading(ReadByteDirect, ExampleUnit.Byte, Direct),
        Reading(ReadLineStreamReader, ExampleUnit.Line, DotNet),
        Reading(ReadLineStreamReaderAsync, ExampleUnit.Line, DotNetAsync),
        Reading(ReadLineSluiceReader, ExampleUnit.Line, Sequential),
        Reading(ReadLineSluiceReaderAsync, ExampleUnit.Line, SequentialAsync),
        Reading(ReadLineSluiceReaderStrings, ExampleUnit.Line, Strings),
        Reading(ReadLineDirect, ExampleUnit.Line, Direct),
        Reading(ReadBlockFileStream, ExampleUnit.Block, DotNet),
        Reading(ReadBlockFileStreamAsync, ExampleUnit.Block, DotNetAsync),
        Reading(ReadBlockSluiceStream, ExampleUnit.Block, Stream),
        Reading(ReadBlockSluiceReader, ExampleUnit.Block, Sequential),
        Reading(ReadBlockSluiceReaderAsync, ExampleUnit.Block, SequentialAsync),
        Reading(ReadBlockDirect, ExampleUnit.Block, Direct),
    ];

    private static ExampleCase Reading(
        Action<string, Checksum> run, ExampleUnit unit, string way, [CallerArgumentExpression(nameof(run))] string name = "") =>
        Reading(Awaitable(run), unit, way, name);

    private static ExampleCase Reading(
        Func<string, Checksum, Task> run, ExampleUnit unit, string way, [CallerArgumentExpression(nameof(run))] string name = "") =>
        new(name, unit, way, Writes: false, (path, _, seen) => run(path, seen));

    private static ExampleCase Writing(
        Action<string, RecordSource> run, ExampleUnit unit, string way, [CallerArgumentExpression(nameof(run))] string name = "") =>
        Writing(Awaitable(run), unit, way, name);

    private static ExampleCase Writing(
        Func<string, RecordSource, Task> run, ExampleUnit unit, string way, [CallerArgumentExpression(nameof(run))] string name = "") =>
        new(name, unit, way, Writes: true, (path, records, _) => run(path, records));

    private static Func<string, T, Task> Awaitable<T>(Action<string, T> run) => (path, value) =>
    {
        run(path, value);
        return Task.CompletedTask;
    };
}
