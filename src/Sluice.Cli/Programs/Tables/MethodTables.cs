using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Tables;

/// <summary>The tables of the blog post "File IO improvements in .NET 6", with the arguments of the blog post.</summary>
internal static class MethodTables
{
    private const int OneKibibyte = 1024;
    private const int FourKibibytes = 4096;
    private const int SixteenKibibytes = 16_384;
    private const int SegmentBytes = 16_000;
    private const int SegmentCount = 4;
    private const int NoBuffer = 0;

    private static readonly string[] TransferParameters = ["fileSize", "userBufferSize", "options"];
    private static readonly bool[] Both = [false, true];

    /// <param name="scale">The scale of the run. StreamFileBytes replaces the 100 MiB of the blog post.</param>
    public static IReadOnlyList<MethodTable> All(BenchScale scale)
    {
        // The file has 1 MiB, and less in a quick run.
        long medium = Math.Min(ByteSize.MiB, scale.StreamFileBytes / 2);
        long large = Math.Min(100 * ByteSize.MiB, scale.StreamFileBytes);
        // The size is a whole number of segments, and close to the 100 MB of the blog post.
        const long gathered = SegmentBytes * SegmentCount;
        long segments = Math.Min(100_000_000, scale.StreamFileBytes) / gathered * gathered;
        return
        [
            new("Seek and Position", "A stream is opened, every byte of the file is sought, the stream is closed.", ["fileSize", "options"],
            [
                .. Both.Select(a => Pass("SeekForward", a, StreamPasses.SeekForward<SluiceStreamSide>,
                    StreamPasses.SeekForward<FileStreamSide>)),
                .. Both.Select(a => Pass("SeekBackward", a, StreamPasses.SeekBackward<SluiceStreamSide>,
                    StreamPasses.SeekBackward<FileStreamSide>)),
            ]),
            new("Length", "1,024 times on a stream that is opened for it; the time is that of one.", ["share"],
            [
                .. ((FileShare[])[FileShare.Read, FileShare.Write]).Select(share => Make("GetLength", [share.ToString()], context =>
                {
                    var opening = new StreamOpening(context.SmallFile(OneKibibyte), FileMode.Open, FileAccess.Read, OneKibibyte)
                    {
                        Share = share,
                    };
                    return Contest.Passes(() => StreamPasses.GetLength<SluiceStreamSide>(opening),
                        () => StreamPasses.GetLength<FileStreamSide>(opening));
                })),
            ], InNanoseconds: true, OperationsPerPass: OneKibibyte),
            new("WriteAsync",
                "A file is made (FileMode.Create, so the one of the time before is emptied) and written in pieces of the user's buffer.",
                TransferParameters,
                [
                    .. Both.Select(a => Write("WriteAsync", OneKibibyte, OneKibibyte, a)),
                    .. Both.Select(a => Write("WriteAsync", medium, 512, a)),
                    .. Both.Select(a => Write("WriteAsync", medium, FourKibibytes, a)),
                    .. Both.Select(a => Write("WriteAsync_NoBuffering", medium, SixteenKibibytes, a, NoBuffer)),
                    .. Both.Select(a => Write("WriteAsync", large, FourKibibytes, a)),
                    .. Both.Select(a => Write("WriteAsync_NoBuffering", large, SixteenKibibytes, a, NoBuffer)),
                ]),
            new("ReadAsync", "A file that is in the page cache is read from open to close.", TransferParameters,
            [
                .. Both.Select(a => Read("ReadAsync", medium, 512, a)),
                .. Both.Select(a => Read("ReadAsync", medium, FourKibibytes, a)),
                .. Both.Select(a => Read("ReadAsync_NoBuffering", medium, SixteenKibibytes, a, NoBuffer)),
                .. Both.Select(a => Read("ReadAsync", large, FourKibibytes, a)),
                .. Both.Select(a => Read("ReadAsync_NoBuffering", large, SixteenKibibytes, a, NoBuffer)),
            ]),
            new("Read & Write", "The synchronous calls, on streams opened either way.", TransferParameters,
            [
                .. new (long Size, int Piece)[] { (medium, 512), (medium, FourKibibytes), (large, FourKibibytes) }.SelectMany(
                    s => Both.Select(a => Read("Read", s.Size, s.Piece, a, awaited: false))
                        .Concat(Both.Select(a => Write("Write", s.Size, s.Piece, a, awaited: false)))),
            ]),
            new("Byte by byte",
                "The text's readers asked for asynchronous ones: .NET has none, beside Sluice's stands ReadAsync of one byte.",
                ["fileSize"],
                [
                    Make("ReadByte", [Size(medium)], context => Over(context, medium, asynchronous: false,
                        static o => StreamPasses.ReadBytes<SluiceStreamSide>(o), static o => StreamPasses.ReadBytes<FileStreamSide>(o))),
                    Make("WriteByte", [Size(medium)], context => StreamRows.OpenWriteBytes(context, medium)),
                    Make("ReadByteAsync", [Size(medium)], context => StreamRows.OpenReadByteAsync(
                        StreamOpening.Reading(context.SmallFile(medium), medium, asynchronous: true))),
                ]),
            new("CopyToAsync", "From one stream to another of the same kind.", ["fileSize", "options"],
            [
                .. ((long[])[OneKibibyte, medium, large]).SelectMany(size => Both.Select(a => Make(
                    "CopyToFileAsync", [Size(size), Options(a)],
                    context => StreamRows.OpenCopy(context, StreamOpening.Reading(context.SmallFile(size), size, a))))),
            ]),
            new("Open and close", "Without a transfer.", ["options"],
            [
                .. Both.Select(a => Make("OpenClose", [Options(a)], context => StreamRows.OpenAndClose(
                    StreamOpening.Reading(context.SmallFile(OneKibibyte), OneKibibyte, a)))),
            ]),
            new("Scatter/Gather", "A file is written by 16,000 bytes, and by four times 16,000 in a call; RandomAccess and SluiceHandle.",
                ["fileSize"],
                [
                    Make("Write", [Size(segments)], context => OpenGather(context, segments, gathers: false)),
                    Make("WriteGather", [Size(segments)], context => OpenGather(context, segments, gathers: true)),
                ]),
            new("Preallocation size", "A file is written by 16,000 bytes, its size told beforehand or not.",
                ["fileSize", "specifyPreallocationSize"],
                [
                    .. Both.Select(preallocated => Make("PreallocationSize", [Size(segments), preallocated.ToString()],
                        context => StreamRows.OpenWrite(
                            context, "sized.dat", path => new StreamOpening(path, FileMode.Create, FileAccess.Write, segments)
                            {
                                PreallocationSizeBytes = preallocated ? segments : 0,
                            }, SegmentBytes))),
                ], HasSpread: true),
        ];
    }

    private static Row Make(string method, string[] arguments, Func<BenchContext, Contest> open) =>
        new(method, method, "", open) { Arguments = arguments };

    private static Contest Over(
        BenchContext context, long fileBytes, bool asynchronous, Func<StreamOpening, long> sluice, Func<StreamOpening, long> dotNet)
    {
        StreamOpening opening = StreamOpening.Reading(context.SmallFile(fileBytes), fileBytes, asynchronous);
        return Contest.Passes(() => sluice(opening), () => dotNet(opening));
    }

    private static Row Pass(
        string method, bool asynchronous, Func<StreamOpening, long> sluice, Func<StreamOpening, long> dotNet) => Make(
        method, [Size(OneKibibyte), Options(asynchronous)], context => Over(context, OneKibibyte, asynchronous, sluice, dotNet));

    private static Row Read(
        string method, long fileBytes, int pieceBytes, bool asynchronous, int? bufferBytes = null, bool awaited = true) => Make(
        method, [Size(fileBytes), Size(pieceBytes), Options(asynchronous)], context => StreamRows.OpenRead(
            StreamOpening.Reading(context.SmallFile(fileBytes), fileBytes, asynchronous, bufferBytes), pieceBytes, awaited));

    private static Row Write(
        string method, long fileBytes, int pieceBytes, bool asynchronous, int? bufferBytes = null, bool awaited = true) => Make(
        method, [Size(fileBytes), Size(pieceBytes), Options(asynchronous)], context => StreamRows.OpenWrite(
            context, "written.dat", path => StreamOpening.Writing(path, fileBytes, asynchronous, bufferBytes), pieceBytes, awaited));

    /// <summary>Compares writing a new file at offsets, with one or several segments in a call.</summary>
    private static Contest OpenGather(BenchContext context, long length, bool gathers)
    {
        IReadOnlyList<ReadOnlyMemory<byte>> segments = [.. Loops.Buffers(SegmentCount, SegmentBytes).Select(m => (ReadOnlyMemory<byte>)m)];
        string ours = context.ScratchFile<SluiceStreamSide>("gathered.dat");
        string theirs = context.ScratchFile<FileStreamSide>("gathered.dat");
        return Contest.Passes(
            () =>
            {
                using SluiceHandle file = SluiceHandle.Open(ours, FileMode.Create, FileAccess.Write);
                return gathers ? Gather(offset => file.Write(segments, offset))
                    : Each((segment, offset) => file.Write(segment.Span, offset));
            },
            () =>
            {
                using SafeFileHandle file = File.OpenHandle(theirs, FileMode.Create, FileAccess.Write);
                return gathers ? Gather(offset => RandomAccess.Write(file, segments, offset))
                    : Each((segment, offset) => RandomAccess.Write(file, segment.Span, offset));
            });

        long Gather(Action<long> write)
        {
            for (long offset = 0; offset < length; offset += SegmentBytes * SegmentCount)
                write(offset);
            return length;
        }

        long Each(Action<ReadOnlyMemory<byte>, long> write)
        {
            for (long offset = 0; offset < length; offset += SegmentBytes)
                write(segments[(int)(offset / SegmentBytes % SegmentCount)], offset);
            return length;
        }
    }

    private static string Size(long bytes) => $"{bytes}";

    private static string Options(bool asynchronous) => asynchronous ? nameof(FileOptions.Asynchronous) : nameof(FileOptions.None);
}
