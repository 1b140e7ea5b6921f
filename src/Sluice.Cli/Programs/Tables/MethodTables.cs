using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Tables;

/// <summary>The tables of "File IO improvements in .NET 6", with the arguments that they have there.</summary>
internal static class MethodTables
{
    private const int OneKibibyte = 1024;
    private const int FourKibibytes = 4096;
    private const int SixteenKibibytes = 16_384;
    private const long OneMebibyte = ByteSize.MiB;
    private const long HundredMebibytes = 100 * ByteSize.MiB;
    private const int SegmentBytes = 16_000;
    private const int SegmentCount = 4;
    private const int NoBuffer = 0;

    private static readonly string[] TransferParameters = ["fileSize", "userBufferSize", "options"];

    /// <param name="scale">Its stream files stand for the text's files of 100 MiB.</param>
    public static IReadOnlyList<MethodTable> All(BenchScale scale) =>
    [
        Position(), Length(), Writes(scale), Reads(scale), Synchronous(scale), Bytes(scale), Copies(scale), Opening(), Gather(scale),
        Preallocation(scale),
    ];

    private static MethodTable Position() => new(
        "Seek and Position", "A stream is opened, every byte of the file is sought, the stream is closed.", ["fileSize", "options"],
        [
            .. Both(a => Position("SeekForward", a, StreamPasses.SeekForward<FileStreamSide>, StreamPasses.SeekForward<SluiceStreamSide>)),
            .. Both(a => Position("SeekBackward", a, StreamPasses.SeekBackward<FileStreamSide>,
                StreamPasses.SeekBackward<SluiceStreamSide>)),
        ]);

    private static TableCase Position(string method, bool asynchronous, Func<StreamOpening, long> dotNet, Func<StreamOpening,
        long> sluice) => new(
        method, [Size(OneKibibyte), Options(asynchronous)], context =>
        {
            StreamOpening opening = StreamOpening.Reading(context.SmallFile(OneKibibyte), OneKibibyte, asynchronous);
            return Sides(() => dotNet(opening), () => sluice(opening));
        });

    private static MethodTable Length() => new(
        "Length", "1,024 times on a stream that is opened for it; the time is that of one.", ["share"],
        [
            .. ((FileShare[])[FileShare.Read, FileShare.Write]).Select(share => new TableCase("GetLength", [share.ToString()], context =>
            {
                var opening = new StreamOpening(context.SmallFile(OneKibibyte), FileMode.Open, FileAccess.Read,
                    OneKibibyte) { Share = share };
                return Sides(() => StreamPasses.GetLength<FileStreamSide>(opening),
                    () => StreamPasses.GetLength<SluiceStreamSide>(opening));
            }, OneKibibyte)),
        ], InNanoseconds: true);

    private static MethodTable Writes(BenchScale scale) => new(
        "WriteAsync",
        "A file is made (FileMode.Create, so the one of the time before is emptied) and written in pieces of the user's buffer.",
        TransferParameters,
        [
            .. Both(a => Write("WriteAsync", OneKibibyte, OneKibibyte, a)),
            .. Both(a => Write("WriteAsync", Medium(scale), 512, a)),
            .. Both(a => Write("WriteAsync", Medium(scale), FourKibibytes, a)),
            .. Both(a => Write("WriteAsync_NoBuffering", Medium(scale), SixteenKibibytes, a, NoBuffer)),
            .. Both(a => Write("WriteAsync", Large(scale), FourKibibytes, a)),
            .. Both(a => Write("WriteAsync_NoBuffering", Large(scale), SixteenKibibytes, a, NoBuffer)),
        ]);

    private static MethodTable Reads(BenchScale scale) => new(
        "ReadAsync", "A file that is in the page cache is read from open to close.", TransferParameters,
        [
            .. Both(a => Read("ReadAsync", Medium(scale), 512, a)),
            .. Both(a => Read("ReadAsync", Medium(scale), FourKibibytes, a)),
            .. Both(a => Read("ReadAsync_NoBuffering", Medium(scale), SixteenKibibytes, a, NoBuffer)),
            .. Both(a => Read("ReadAsync", Large(scale), FourKibibytes, a)),
            .. Both(a => Read("ReadAsync_NoBuffering", Large(scale), SixteenKibibytes, a, NoBuffer)),
        ]);

    private static MethodTable Synchronous(BenchScale scale) => new(
        "Read & Write", "The synchronous calls, on streams opened either way.", TransferParameters,
        [
            .. new (long Size, int Buffer)[] { (Medium(scale), 512), (Medium(scale), FourKibibytes),
                (Large(scale), FourKibibytes) }.SelectMany(
                s => Both(a => Read("Read", s.Size, s.Buffer, a, synchronousCalls: true))
                    .Concat(Both(a => Write("Write", s.Size, s.Buffer, a, synchronousCalls: true)))),
        ]);

    private static MethodTable Bytes(BenchScale scale) => new(
        "Byte by byte", "The text's readers asked for asynchronous ones: .NET has none, beside Sluice's stands ReadAsync of one byte.",
        ["fileSize"],
        [
            new TableCase("ReadByte", [Size(Medium(scale))], context =>
            {
                StreamOpening opening = StreamOpening.Reading(context.SmallFile(Medium(scale)), Medium(scale));
                return Sides(() => StreamPasses.ReadBytes<FileStreamSide>(opening),
                    () => StreamPasses.ReadBytes<SluiceStreamSide>(opening));
            }),
            new TableCase("WriteByte", [Size(Medium(scale))], context =>
            {
                StreamOpening theirs = StreamOpening.Writing(context.ScratchFile<FileStreamSide>("bytes.dat"), Medium(scale));
                StreamOpening ours = StreamOpening.Writing(context.ScratchFile<SluiceStreamSide>("bytes.dat"), Medium(scale));
                return Sides(() => StreamPasses.WriteBytes<FileStreamSide>(theirs), () => StreamPasses.WriteBytes<SluiceStreamSide>(ours));
            }),
            new TableCase("ReadByteAsync", [Size(Medium(scale))], context =>
            {
                StreamOpening opening = StreamOpening.Reading(context.SmallFile(Medium(scale)), Medium(scale), asynchronous: true);
                byte[] oneByte = new byte[1];
                return new Contest(
                    Loops.PassesAsync(SluiceStreamSide.Name, () => StreamPasses.ReadBytesAsync(opening)),
                    Loops.PassesAsync(FileStreamSide.Name, () => StreamPasses.ReadAsync<FileStreamSide>(opening, oneByte)));
            }),
        ]);

    private static MethodTable Copies(BenchScale scale) => new(
        "CopyToAsync", "From one stream to another of the same kind.", ["fileSize", "options"],
        [.. ((long[])[OneKibibyte, Medium(scale), Large(scale)]).SelectMany(size => Both(a => Copy(size, a)))]);

    private static MethodTable Opening() => new(
        "Open and close", "Without a transfer.", ["options"],
        [
            .. Both(a => new TableCase("OpenClose", [Options(a)], context =>
            {
                StreamOpening opening = StreamOpening.Reading(context.SmallFile(OneKibibyte), OneKibibyte, a);
                return Sides(() => StreamPasses.OpenAndClose<FileStreamSide>(opening),
                    () => StreamPasses.OpenAndClose<SluiceStreamSide>(opening));
            })),
        ]);

    private static MethodTable Gather(BenchScale scale) => new(
        "Scatter/Gather", "A file is written by 16,000 bytes, and by four times 16,000 in a call; RandomAccess and SluiceHandle.",
        ["fileSize"],
        [
            new TableCase("Write", [Size(Segments(scale))], context => OpenGather(context, gather: false)),
            new TableCase("WriteGather", [Size(Segments(scale))], context => OpenGather(context, gather: true)),
        ]);

    private static MethodTable Preallocation(BenchScale scale) => new(
        "Preallocation size", "A file is written by 16,000 bytes, its size told beforehand or not.",
        ["fileSize", "specifyPreallocationSize"],
        [
            .. ((bool[])[false, true]).Select(preallocated =>
                new TableCase("PreallocationSize", [Size(Segments(scale)), preallocated.ToString()],
                context => TransferRows.OpenWrite(
                    context, "sized.dat", path => new StreamOpening(path, FileMode.Create, FileAccess.Write, Segments(scale))
                    {
                        PreallocationSizeBytes = preallocated ? Segments(scale) : 0,
                    }, SegmentBytes))),
        ], HasSpread: true);

    private static TableCase Read(
        string method, long fileBytes, int userBufferBytes, bool asynchronous, int? bufferBytes = null,
        bool synchronousCalls = false) => new(
        method, [Size(fileBytes), Size(userBufferBytes), Options(asynchronous)], context =>
        {
            StreamOpening opening = StreamOpening.Reading(context.SmallFile(fileBytes), fileBytes, asynchronous, bufferBytes);
            byte[] buffer = new byte[userBufferBytes];
            return synchronousCalls
                ? Sides(() => StreamPasses.Read<FileStreamSide>(opening, buffer),
                    () => StreamPasses.Read<SluiceStreamSide>(opening, buffer))
                : Sides(() => StreamPasses.ReadAsync<FileStreamSide>(opening, buffer),
                    () => StreamPasses.ReadAsync<SluiceStreamSide>(opening, buffer));
        });

    private static TableCase Write(
        string method, long fileBytes, int userBufferBytes, bool asynchronous, int? bufferBytes = null,
        bool synchronousCalls = false) => new(
        method, [Size(fileBytes), Size(userBufferBytes), Options(asynchronous)], context =>
        {
            StreamOpening theirs = StreamOpening.Writing(context.ScratchFile<FileStreamSide>("written.dat"), fileBytes, asynchronous,
                bufferBytes);
            StreamOpening ours = StreamOpening.Writing(context.ScratchFile<SluiceStreamSide>("written.dat"), fileBytes, asynchronous,
                bufferBytes);
            byte[] buffer = new byte[userBufferBytes];
            new Random(1).NextBytes(buffer);
            return synchronousCalls
                ? Sides(() => StreamPasses.Write<FileStreamSide>(theirs, buffer), () => StreamPasses.Write<SluiceStreamSide>(ours, buffer))
                : Sides(() => StreamPasses.WriteAsync<FileStreamSide>(theirs, buffer),
                    () => StreamPasses.WriteAsync<SluiceStreamSide>(ours, buffer));
        });

    private static TableCase Copy(long fileBytes, bool asynchronous) =>
        new("CopyToFileAsync", [Size(fileBytes), Options(asynchronous)], context =>
    {
        StreamOpening source = StreamOpening.Reading(context.SmallFile(fileBytes), fileBytes, asynchronous);
        StreamOpening theirs = StreamOpening.Writing(context.ScratchFile<FileStreamSide>("copy.dat"), fileBytes, asynchronous);
        StreamOpening ours = StreamOpening.Writing(context.ScratchFile<SluiceStreamSide>("copy.dat"), fileBytes, asynchronous);
        return Sides(() => StreamPasses.CopyAsync<FileStreamSide>(source, theirs),
            () => StreamPasses.CopyAsync<SluiceStreamSide>(source, ours));
    });

    private static Contest OpenGather(BenchContext context, bool gather)
    {
        string theirs = context.ScratchFile<FileStreamSide>("gathered.dat");
        string ours = context.ScratchFile<SluiceStreamSide>("gathered.dat");
        long length = Segments(context.Scale);
        IReadOnlyList<ReadOnlyMemory<byte>> segments = [.. Loops.Buffers(SegmentCount, SegmentBytes).Select(m => (ReadOnlyMemory<byte>)m)];
        return gather
            ? Sides(() => GatherPasses.GatherDotNet(theirs, length, segments), () => GatherPasses.GatherSluice(ours, length, segments))
            : Sides(() => GatherPasses.WriteDotNet(theirs, length, segments), () => GatherPasses.WriteSluice(ours, length, segments));
    }

    private static Contest Sides(Func<long> dotNet, Func<long> sluice) =>
        new(Loops.Passes(SluiceStreamSide.Name, sluice), Loops.Passes(FileStreamSide.Name, dotNet));

    private static Contest Sides(Func<ValueTask<long>> dotNet, Func<ValueTask<long>> sluice) =>
        new(Loops.PassesAsync(SluiceStreamSide.Name, sluice), Loops.PassesAsync(FileStreamSide.Name, dotNet));

    private static IEnumerable<TableCase> Both(Func<bool, TableCase> make) => [make(false), make(true)];

    // A quick run's are shorter still.
    private static long Medium(BenchScale scale) => Math.Min(OneMebibyte, scale.StreamFileBytes / 2);

    private static long Large(BenchScale scale) => Math.Min(HundredMebibytes, scale.StreamFileBytes);

    // Whole segments of the text's 100 MB.
    private static long Segments(BenchScale scale) =>
        Math.Min(100_000_000, scale.StreamFileBytes) / (SegmentBytes * SegmentCount) * SegmentBytes * SegmentCount;

    private static string Size(long bytes) => bytes.ToString(System.Globalization.CultureInfo.InvariantCulture);

    private static string Options(bool asynchronous) => asynchronous ? nameof(FileOptions.Asynchronous) : nameof(FileOptions.None);
}
