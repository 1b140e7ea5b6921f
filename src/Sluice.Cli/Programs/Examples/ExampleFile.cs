using System.Runtime.CompilerServices;
using System.Text.Json;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;
using static Sluice.Cli.Programs.Examples.ReadCases;
using static Sluice.Cli.Programs.Examples.WriteCases;

namespace Sluice.Cli.Programs.Examples;

/// <summary>The rows of `examples` on one file of records. Those that write create the file that the others read.</summary>
internal sealed class ExampleFile
{
    private const string Bytes = "bytes";
    private const string Lines = "lines";
    private const string Blocks = "blocks";

    private readonly string _path;
    private readonly long _count;
    private readonly CancellationToken _cancellationToken;
    private readonly Checksum _expectedBytes;
    private readonly Checksum _expectedLines;

    /// <param name="count">The number of records.</param>
    public ExampleFile(string path, long count, CancellationToken cancellationToken)
    {
        (_path, _count, _cancellationToken) = (path, count, cancellationToken);
        _expectedBytes = new Checksum(cancellationToken);
        _expectedLines = new Checksum(cancellationToken);
        RecordSource records = Records();
        while (records.TryNext(out ReadOnlySpan<byte> record))
        {
            _expectedBytes.Add(record);
            _expectedLines.AddLine(record[..^2]);
        }
    }

    public uint Crc => _expectedBytes.Crc;

    public IReadOnlyList<TimedRow> Rows =>
    [
        Writing(Bytes, IoSide.Bcl, WriteByteFileStream),
        Writing(Bytes, IoSide.Sluice, WriteByteSluiceStream),
        Writing(Bytes, IoSide.Sluice, WriteByteSluiceStreamAsync),
        Writing(Bytes, IoSide.Sluice, WriteByteDirect),
        Writing(Lines, IoSide.Bcl, WriteLineStreamWriter),
        Writing(Lines, IoSide.Bcl, WriteLineStreamWriterAsync),
        Writing(Lines, IoSide.Sluice, WriteLineSluiceWriter),
        Writing(Lines, IoSide.Sluice, WriteLineDirect),
        Writing(Blocks, IoSide.Bcl, WriteBlockFileStream),
        Writing(Blocks, IoSide.Bcl, WriteBlockFileStreamAsync),
        Writing(Blocks, IoSide.Sluice, WriteBlockSluiceStream),
        Writing(Blocks, IoSide.Sluice, WriteBlockSluiceWriter),
        Writing(Blocks, IoSide.Sluice, WriteBlockSluiceWriterAsync),
        Writing(Blocks, IoSide.Sluice, WriteBlockDirect),
        Reading(Bytes, IoSide.Bcl, ReadByteFileStream),
        Reading(Bytes, IoSide.Sluice, ReadByteSluiceStream),
        Reading(Bytes, IoSide.Sluice, ReadByteSluiceStreamAsync),
        Reading(Bytes, IoSide.Sluice, ReadByteDirect),
        Reading(Lines, IoSide.Bcl, ReadLineStreamReader),
        Reading(Lines, IoSide.Bcl, ReadLineStreamReaderAsync),
        Reading(Lines, IoSide.Sluice, ReadLineSluiceReader),
        Reading(Lines, IoSide.Sluice, ReadLineSluiceReaderAsync),
        Reading(Lines, IoSide.Sluice, ReadLineSluiceReaderStrings),
        Reading(Lines, IoSide.Sluice, ReadLineDirect),
        Reading(Blocks, IoSide.Bcl, ReadBlockFileStream),
        Reading(Blocks, IoSide.Bcl, ReadBlockFileStreamAsync),
        Reading(Blocks, IoSide.Sluice, ReadBlockSluiceStream),
        Reading(Blocks, IoSide.Sluice, ReadBlockSluiceReader),
        Reading(Blocks, IoSide.Sluice, ReadBlockSluiceReaderAsync),
        Reading(Blocks, IoSide.Sluice, ReadBlockDirect),
    ];

    /// <summary>Creates the file to read.</summary>
    public void Make() => WriteBlockFileStream(_path, Records());

    private RecordSource Records() => new(_count, _cancellationToken);

    private TimedRow Writing(
        string unit, IoSide side, Action<string, RecordSource> run, [CallerArgumentExpression(nameof(run))] string name = "") =>
        Writing(unit, side, Awaitable(run), name);

    private TimedRow Writing(
        string unit, IoSide side, Func<string, RecordSource, Task> run, [CallerArgumentExpression(nameof(run))] string name = "") =>
        Row(
            $"Writing {unit}", name, side,
            async () =>
            {
                await run(_path, Records());
                return null;
            },
            _ =>
            {
                var seen = new Checksum(_cancellationToken);
                ReadBlockFileStream(_path, seen);
                return seen.Difference(_expectedBytes);
            }) with
        {
            NewFile = _path,
        };

    private TimedRow Reading(
        string unit, IoSide side, Action<string, Checksum> run, [CallerArgumentExpression(nameof(run))] string name = "") =>
        Reading(unit, side, Awaitable(run), name);

    private TimedRow Reading(
        string unit, IoSide side, Func<string, Checksum, Task> run, [CallerArgumentExpression(nameof(run))] string name = "") =>
        Row(
            $"Reading {unit}", name, side,
            async () =>
            {
                var seen = new Checksum(_cancellationToken);
                await run(_path, seen);
                return seen;
            },
            seen => ((Checksum)seen!).Difference(unit == Lines ? _expectedLines : _expectedBytes));

    /// <param name="method">The name of the method; that of the row is read-byte-file-stream for ReadByteFileStream.</param>
    private TimedRow Row(string group, string method, IoSide side, Func<Task<object?>> runAsync, Func<object?, string?> check) =>
        new(group, JsonNamingPolicy.KebabCaseLower.ConvertName(method), side, _count * RecordSource.RecordBytes, runAsync, check);

    private static Func<string, T, Task> Awaitable<T>(Action<string, T> run) => (path, value) =>
    {
        run(path, value);
        return Task.CompletedTask;
    };
}
