namespace Sluice.Cli.Bench.Streams;

/// <summary>Byte by byte, number by number, line by line: an operation is one of them, from a buffer most of the time.</summary>
internal static class UnitRows
{
    // A pass of 20 MB takes so long that its loop would stay in the code that the JIT made of it while it ran (OSR): it is called
    // this often over a short file before each slice.
    private const int ShortPasses = 32;
    private const int ShortFileBytes = 4096;

    public static Row ReadByte() => new(
        "stream-read-byte", "ReadByte, 20 MB", "parsers: the call must be small enough to be inlined", OpenReadByte)
    {
        Target = new RowTarget { MinRatio = 2, AllocatesNoMore = true },
    };

    public static Row WriteByte() => new(
        "stream-write-byte", "WriteByte, 20 MB", "serializers: the call must be small enough to be inlined", OpenWriteByte)
    {
        Target = new RowTarget { MinRatio = 2, AllocatesNoMore = true },
    };

    public static Row ReadByteAsync() => new(
        "stream-read-byte-async", "ReadByteAsync, 20 MB",
        ".NET has no such call: beside it ReadAsync into a buffer of one byte, and Sluice's own ReadByte", OpenReadByteAsync)
    {
        Target = new RowTarget { MinSecondRatio = 0.5, AllocatesNoMore = true },
    };

    public static Row ReadInt32() => new(
        "stream-binary-reader", "BinaryReader.ReadInt32, 20 MB", "asks for four bytes at a time", OpenReadInt32)
    {
        Target = new RowTarget { MinRatio = 1, AllocatesNoMore = true },
    };

    public static Row ReadLine() => new(
        "stream-read-line", "StreamReader.ReadLine, 20 MB", "asks for 1 KiB at a time, synchronously; lines of 0 to 119 characters",
        OpenReadLine)
    {
        Target = new RowTarget { MinRatio = 1, AllocatesNoMore = true },
    };

    public static Row ReadLineAsync() => new(
        "stream-read-line-async", "StreamReader.ReadLineAsync, 20 MB", "asks for 1 KiB at a time; lines of 0 to 119 characters",
        OpenReadLineAsync)
    {
        Target = new RowTarget { MinRatio = 1.5, AllocatesNoMore = true },
    };

    private static Contest OpenReadByte(BenchContext context)
    {
        StreamOpening opening = StreamOpening.Reading(context.ByteFile, context.Scale.ByteFileBytes);
        StreamOpening brief = StreamOpening.Reading(context.SmallFile(ShortFileBytes), ShortFileBytes);
        return new Contest(Side<SluiceStreamSide>(), Side<FileStreamSide>());

        Contender Side<TSide>()
            where TSide : struct, IStreamSide<TSide> =>
            Warmed(Loops.Passes(TSide.Name, () => StreamPasses.ReadBytes<TSide>(opening), countUnits: true),
                () => StreamPasses.ReadBytes<TSide>(brief)) with
            {
                RunTimedAsync = Timed<TSide>(opening, side => () => side.ReadByte() >= 0),
            };
    }

    private static Contest OpenWriteByte(BenchContext context)
    {
        return new Contest(Side<SluiceStreamSide>(), Side<FileStreamSide>());

        Contender Side<TSide>()
            where TSide : struct, IStreamSide<TSide>
        {
            StreamOpening opening = StreamOpening.Writing(context.ScratchFile<TSide>("bytes-written.dat"), context.Scale.ByteFileBytes);
            StreamOpening brief = StreamOpening.Writing(context.ScratchFile<TSide>("few-bytes-written.dat"), ShortFileBytes);
            return Warmed(
                Loops.Passes(TSide.Name, () => StreamPasses.WriteBytes<TSide>(opening), countUnits: true),
                () => StreamPasses.WriteBytes<TSide>(brief)) with
            {
                RunTimedAsync = Timed<TSide>(opening, side =>
                {
                    long left = opening.LengthBytes;
                    return () =>
                    {
                        side.WriteByte(1);
                        return --left > 0;
                    };
                }),
            };
        }
    }

    private static Contest OpenReadByteAsync(BenchContext context)
    {
        StreamOpening asynchronous = StreamOpening.Reading(context.ByteFile, context.Scale.ByteFileBytes, asynchronous: true);
        StreamOpening synchronous = StreamOpening.Reading(context.ByteFile, context.Scale.ByteFileBytes);
        StreamOpening briefAsynchronous = StreamOpening.Reading(context.SmallFile(ShortFileBytes), ShortFileBytes, asynchronous: true);
        StreamOpening briefSynchronous = StreamOpening.Reading(context.SmallFile(ShortFileBytes), ShortFileBytes);
        byte[] oneByte = new byte[1];
        return new Contest(
            WarmedAsync(
                Loops.PassesAsync(SluiceStreamSide.Name, () => StreamPasses.ReadBytesAsync(asynchronous), countUnits: true),
                () => StreamPasses.ReadBytesAsync(briefAsynchronous)) with
            {
                RunTimedAsync = TimedCalls.OfAsync(() =>
                {
                    SluiceStreamSide side = SluiceStreamSide.Open(asynchronous);
                    return (async () => await side.ReadByteAsync() >= 0, side);
                }),
            },
            WarmedAsync(
                Loops.PassesAsync(FileStreamSide.Name, () => StreamPasses.ReadAsync<FileStreamSide>(asynchronous, oneByte),
                    countUnits: true),
                () => StreamPasses.ReadAsync<FileStreamSide>(briefAsynchronous, oneByte)) with
            {
                RunTimedAsync = TimedCalls.OfAsync(() =>
                {
                    FileStreamSide side = FileStreamSide.Open(asynchronous);
                    return (async () => await side.ReadAsync(oneByte) > 0, side);
                }),
            })
        {
            Second = Warmed(
                Loops.Passes("Sluice's ReadByte", () => StreamPasses.ReadBytes<SluiceStreamSide>(synchronous), countUnits: true),
                () => StreamPasses.ReadBytes<SluiceStreamSide>(briefSynchronous)) with
            {
                RunTimedAsync = Timed<SluiceStreamSide>(synchronous, side => () => side.ReadByte() >= 0),
            },
        };
    }

    private static Contest OpenReadInt32(BenchContext context)
    {
        StreamOpening opening = StreamOpening.Reading(context.ByteFile, context.Scale.ByteFileBytes);
        StreamOpening brief = StreamOpening.Reading(context.SmallFile(ShortFileBytes), ShortFileBytes);
        return new Contest(Side<SluiceStreamSide>(), Side<FileStreamSide>());

        Contender Side<TSide>()
            where TSide : struct, IStreamSide<TSide> =>
            Warmed(Loops.Passes(TSide.Name, () => StreamPasses.ReadInt32s<TSide>(opening), countUnits: true),
                () => StreamPasses.ReadInt32s<TSide>(brief)) with
            {
                RunTimedAsync = Timed<TSide>(opening, side =>
                {
                    var reader = new BinaryReader(side.Stream);
                    long left = opening.LengthBytes / sizeof(int);
                    return () =>
                    {
                        reader.ReadInt32();
                        return --left > 0;
                    };
                }),
            };
    }

    private static Contest OpenReadLine(BenchContext context)
    {
        StreamOpening opening = StreamOpening.Reading(context.LineFile, context.Scale.ByteFileBytes);
        return new Contest(Side<SluiceStreamSide>(), Side<FileStreamSide>());

        Contender Side<TSide>()
            where TSide : struct, IStreamSide<TSide> =>
            Loops.Passes(TSide.Name, () => StreamPasses.ReadLines<TSide>(opening), countUnits: true) with
            {
                RunTimedAsync = Timed<TSide>(opening, side =>
                {
                    var reader = new StreamReader(side.Stream);
                    return () => reader.ReadLine() is not null;
                }),
            };
    }

    private static Contest OpenReadLineAsync(BenchContext context)
    {
        StreamOpening opening = StreamOpening.Reading(context.LineFile, context.Scale.ByteFileBytes, asynchronous: true);
        return new Contest(Side<SluiceStreamSide>(), Side<FileStreamSide>());

        Contender Side<TSide>()
            where TSide : struct, IStreamSide<TSide> =>
            Loops.PassesAsync(TSide.Name, () => StreamPasses.ReadLinesAsync<TSide>(opening), countUnits: true) with
            {
                RunTimedAsync = TimedCalls.OfAsync(() =>
                {
                    TSide side = TSide.Open(opening);
                    var reader = new StreamReader(side.Stream);
                    return (async () => await reader.ReadLineAsync() is not null, side);
                }),
            };
    }

    private static Func<Slice, Task> Timed<TSide>(StreamOpening opening, Func<TSide, Func<bool>> callsOf)
        where TSide : struct, IStreamSide<TSide> => TimedCalls.Of(() =>
    {
        TSide side = TSide.Open(opening);
        return (callsOf(side), side);
    });

    private static Contender Warmed(Contender contender, Func<long> shortPass) => contender with
    {
        Prepare = () =>
        {
            for (int i = 0; i < ShortPasses; i++)
                shortPass();
        },
    };

    private static Contender WarmedAsync(Contender contender, Func<ValueTask<long>> shortPassAsync) =>
        Warmed(contender, () => shortPassAsync().AsTask().GetAwaiter().GetResult());
}
