using Sluice.Cli.Load;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// The suite stream, which compares SluiceStream with FileStream: passes that open, use and close a stream, and readers and writers on top
/// of a stream. Seeks, lengths and the other arguments of the .NET 6 blog post are rows of `sluice tables`.
/// </summary>
internal static class StreamRows
{
    private const int PageBytes = (int)(4 * ByteSize.KiB);
    private const int DirectUserBufferBytes = (int)(64 * ByteSize.KiB);

    // A pass of 20 MB takes so long that its loop would keep running in the code of on-stack replacement (OSR). Calling it this number of
    // times over a short file before each slice compiles it with full optimization.
    private const int ShortPasses = 32;

    public static Suite Create() => new("stream", 3, static scale => scale.StreamSliceTime, [.. Rows()]);

    /// <summary>Compares passes that open a file, read it in pieces and close it. An operation is a pass.</summary>
    /// <param name="awaited">True to use ReadAsync; null if the options of the file decide.</param>
    public static Contest OpenRead(StreamOpening opening, int pieceBytes, bool? awaited = null)
    {
        byte[] buffer = new byte[pieceBytes];
        return awaited ?? opening.Asynchronous
            ? Contest.Passes(
                () => StreamPasses.ReadAsync<SluiceStreamSide>(opening, buffer),
                () => StreamPasses.ReadAsync<FileStreamSide>(opening, buffer))
            : Contest.Passes(
                () => StreamPasses.Read<SluiceStreamSide>(opening, buffer), () => StreamPasses.Read<FileStreamSide>(opening, buffer));
    }

    /// <summary>Compares passes that open a file, write it in pieces and close it. An operation is a pass.</summary>
    /// <param name="open">Returns the arguments for opening the file with this path. Each stream type has its own file.</param>
    /// <inheritdoc cref="OpenRead"/>
    public static Contest OpenWrite(
        BenchContext context, string fileName, Func<string, StreamOpening> open, int pieceBytes, bool? awaited = null)
    {
        byte[] buffer = new byte[pieceBytes];
        new Random(1).NextBytes(buffer);
        (StreamOpening ours, StreamOpening theirs) = Both(context, fileName, open);
        return awaited ?? ours.Asynchronous
            ? Contest.Passes(
                () => StreamPasses.WriteAsync<SluiceStreamSide>(ours, buffer),
                () => StreamPasses.WriteAsync<FileStreamSide>(theirs, buffer))
            : Contest.Passes(
                () => StreamPasses.Write<SluiceStreamSide>(ours, buffer), () => StreamPasses.Write<FileStreamSide>(theirs, buffer));
    }

    /// <summary>Compares the passes of <see cref="StreamPasses.Timed"/>. An operation is a byte.</summary>
    public static Contest OpenTimed(StreamOpening opening, int requestBytes) => new(
        StreamPasses.Timed<SluiceStreamSide>(opening, requestBytes), StreamPasses.Timed<FileStreamSide>(opening, requestBytes));

    /// <summary>Compares CopyToAsync. Each stream type has its own target file.</summary>
    public static Contest OpenCopy(BenchContext context, StreamOpening source)
    {
        (StreamOpening ours, StreamOpening theirs) = Both(
            context, "copy.dat", path => StreamOpening.Writing(path, source.LengthBytes, source.Asynchronous));
        return Contest.Passes(
            () => StreamPasses.CopyAsync<SluiceStreamSide>(source, ours), () => StreamPasses.CopyAsync<FileStreamSide>(source, theirs));
    }

    public static Contest OpenAndClose(StreamOpening opening) => Contest.Passes(
        () => StreamPasses.OpenAndClose<SluiceStreamSide>(opening), () => StreamPasses.OpenAndClose<FileStreamSide>(opening));

    public static Contest OpenWriteBytes(BenchContext context, long lengthBytes, bool countUnits = false)
    {
        (StreamOpening ours, StreamOpening theirs) = Both(context, "bytes.dat", path => StreamOpening.Writing(path, lengthBytes));
        return Contest.Passes(
            () => StreamPasses.WriteBytes<SluiceStreamSide>(ours), () => StreamPasses.WriteBytes<FileStreamSide>(theirs), countUnits);
    }

    /// <summary>Compares SluiceStream.ReadByteAsync, which .NET does not have, with a ReadAsync of one byte.</summary>
    public static Contest OpenReadByteAsync(StreamOpening opening, bool countUnits = false)
    {
        byte[] oneByte = new byte[1];
        return Contest.Passes(
            () => StreamPasses.ReadBytesAsync(opening), () => StreamPasses.ReadAsync<FileStreamSide>(opening, oneByte), countUnits);
    }

    private static (StreamOpening Sluice, StreamOpening DotNet) Both(
        BenchContext context, string fileName, Func<string, StreamOpening> open) =>
        (open(context.ScratchFile<SluiceStreamSide>(fileName)), open(context.ScratchFile<FileStreamSide>(fileName)));

    private static IEnumerable<Row> Rows()
    {
        foreach (bool writes in (bool[])[false, true])
        {
            foreach (int bytes in (int[])[512, 4096, 16_384])
                yield return Transfer(writes, bytes, asynchronous: true);
            yield return Transfer(writes, 4096, asynchronous: false);
            foreach (int bytes in (int[])[4096, 16_384])
                yield return Transfer(writes, bytes, asynchronous: true, bufferBytes: 0);
            yield return File(writes, ByteSize.MiB, "1m");
            yield return File(writes, ByteSize.KiB, "1k");
        }
        yield return Units("read-byte", "ReadByte, 20 MB", "parsers: the call must be small enough to be inlined",
            context => context.ByteFile, static o => StreamPasses.ReadBytes<SluiceStreamSide>(o), static o => StreamPasses.ReadBytes<FileStreamSide>(o));
        yield return new Row("stream-write-byte", "WriteByte, 20 MB", "serializers: the call must be small enough to be inlined",
            context => OpenWriteBytes(context, context.Scale.ByteFileBytes, countUnits: true))
        {
            Fills = PageCacheFill.ForSlice,
        };
        yield return new Row("stream-read-byte-async", "ReadByteAsync, 20 MB",
            ".NET has no such call: beside it ReadAsync into a buffer of one byte, and Sluice's own ReadByte",
            static context =>
            {
                StreamOpening opening = StreamOpening.Reading(context.ByteFile, context.Scale.ByteFileBytes, asynchronous: true);
                StreamOpening synchronous = StreamOpening.Reading(context.ByteFile, context.Scale.ByteFileBytes);
                Contest contest = OpenReadByteAsync(opening, countUnits: true);
                return new Contest(contest.Sluice, contest.DotNet, contest)
                {
                    Second = Loops.Passes(
                        "Sluice's ReadByte", () => StreamPasses.ReadBytes<SluiceStreamSide>(synchronous), countUnits: true),
                };
            });
        yield return Units("binary-reader", "BinaryReader.ReadInt32, 20 MB", "asks for four bytes at a time",
            context => context.ByteFile, StreamPasses.ReadInt32s<SluiceStreamSide>, StreamPasses.ReadInt32s<FileStreamSide>);
        yield return Units("read-line", "StreamReader.ReadLine, 20 MB",
            "asks for 1 KiB at a time, synchronously; lines of 0 to 119 characters",
            context => context.LineFile, StreamPasses.ReadLines<SluiceStreamSide>, StreamPasses.ReadLines<FileStreamSide>);
        yield return new Row("stream-read-line-async", "StreamReader.ReadLineAsync, 20 MB",
            "asks for 1 KiB at a time; lines of 0 to 119 characters",
            static context =>
            {
                StreamOpening opening = StreamOpening.Reading(context.LineFile, context.Scale.ByteFileBytes, asynchronous: true);
                return Contest.Passes(
                    () => StreamPasses.ReadLinesAsync<SluiceStreamSide>(opening),
                    () => StreamPasses.ReadLinesAsync<FileStreamSide>(opening), countUnits: true);
            });
        yield return new Row("stream-copy-to-sink", "CopyToAsync 100 MiB to a sink",
            "hot, what reads is all that costs; .NET's pieces of 80 KiB leave only their thread hops to save, memory sets the rate",
            static context =>
            {
                var source = StreamOpening.Reading(context.StreamFile, context.Scale.StreamFileBytes, asynchronous: true);
                return Contest.Passes(
                    () => StreamPasses.CopyToSinkAsync<SluiceStreamSide>(source),
                    () => StreamPasses.CopyToSinkAsync<FileStreamSide>(source));
            })
        {
            BytesPerOperation = static scale => scale.StreamFileBytes,
        };
        yield return new Row("stream-direct-read-async", "direct sequential ReadAsync of 1 GiB by 65,536 B",
            "past the page cache; .NET: FileStream over a descriptor opened for direct I/O", OpenDirect)
        {
            BytesPerOperation = static _ => DirectUserBufferBytes,
        };
        yield return new Row("stream-open", "stream opened and closed", "without a transfer; the buffer must wait for one",
            static context => OpenAndClose(
                StreamOpening.Reading(context.SmallFile(ByteSize.KiB), ByteSize.KiB, asynchronous: true)));
    }

    private static Row Transfer(bool writes, int bytes, bool asynchronous, int? bufferBytes = null)
    {
        (string verb, string way, string end) = (writes ? "Write" : "Read", asynchronous ? "Async" : "", bufferBytes is null ? "" : ", unbuffered");
        string id = $"stream-{(bufferBytes is null ? "" : "unbuffered-")}{verb}{(asynchronous ? "-async" : "")}-{bytes}".ToLowerInvariant();
        return new Row(id, $"{verb}{way} 100 MiB by {bytes:#,0} B{end}",
            bufferBytes is not null ? "bufferSize 0: a system call for each piece on either side"
                : writes ? "default buffer; the file of the pass before is emptied first, as FileMode.Create does, and that is part of it"
                : "hot, default buffer: each piece must not cost a thread hop, nor each 4 KiB a system call",
            context => writes
                ? OpenWrite(context, "written.dat",
                    path => StreamOpening.Writing(path, context.Scale.StreamFileBytes, asynchronous, bufferBytes), bytes)
                : OpenRead(StreamOpening.Reading(context.StreamFile, context.Scale.StreamFileBytes, asynchronous, bufferBytes), bytes))
        {
            BytesPerOperation = static scale => scale.StreamFileBytes,
            Fills = writes ? PageCacheFill.ForSlice : PageCacheFill.None,
        };
    }

    private static Row File(bool writes, long sizeBytes, string size) => new(
        $"stream-file-{(writes ? "write" : "read")}-{size}", $"file of {ByteSize.Format(sizeBytes)}, {(writes ? "WriteAsync" : "ReadAsync")}",
        "open to close, by 4,096 B: what opening costs and how soon the buffer has grown",
        context => writes
            ? OpenWrite(context, "small.dat", path => StreamOpening.Writing(path, sizeBytes, asynchronous: true), PageBytes)
            : OpenRead(StreamOpening.Reading(context.SmallFile(sizeBytes), sizeBytes, asynchronous: true), PageBytes));

    /// <summary>Creates a row whose operation is a byte, a number or a line of a file of 20 MB.</summary>
    private static Row Units(
        string id, string name, string why, Func<BenchContext, string> file, Func<StreamOpening, long> sluice,
        Func<StreamOpening, long> dotNet) => new($"stream-{id}", name, why, context =>
        {
            StreamOpening opening = StreamOpening.Reading(file(context), context.Scale.ByteFileBytes);
            StreamOpening brief = StreamOpening.Reading(context.SmallFile(PageBytes), PageBytes);
            return Contest.Passes(() => sluice(opening), () => dotNet(opening), countUnits: true).Prepared(() =>
            {
                for (int i = 0; i < ShortPasses; i++)
                {
                    sluice(brief);
                    dotNet(brief);
                }
            });
        });

    private static Contest OpenDirect(BenchContext context)
    {
        string path = context.SequentialFile;
        DirectIo.Require(path, FileCaching.Direct);
        var options = new SluiceOptions { Options = FileOptions.Asynchronous, Caching = FileCaching.Direct };
        var sluice = new SluiceStream(path, options);
        // FileStream cannot open a file for direct I/O, so it uses a descriptor of Sluice, without its buffer, which is not aligned.
        SluiceHandle opener = SluiceHandle.Open(path, options);
        var dotNet = new FileStream(opener.SafeFileHandle, FileAccess.Read, bufferSize: 0, isAsync: true);
        // Unlike Sluice, FileStream has no bounce buffers; its direct reads need an aligned buffer.
        Memory<byte> buffer = PinnedBuffer.Allocate(DirectUserBufferBytes);
        return new Contest(Side(SluiceStreamSide.Name, sluice), Side(FileStreamSide.Name, dotNet), sluice, dotNet, opener);

        // A slice continues where the last one ended, and starts again at the end of the file.
        Contender Side(string name, Stream stream) => new(name, async slice =>
        {
            do
            {
                if (await stream.ReadAsync(buffer) == 0)
                {
                    stream.Position = 0;
                    continue;
                }
                slice.Count(0);
            }
            while (!slice.IsOver);
        });
    }
}
