using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Streams;

/// <summary>Whole files read and written in pieces of the user's buffer. An operation is a file from open to close.</summary>
internal static class TransferRows
{
    private const int NoBuffer = 0;
    private const int PageBytes = (int)(4 * ByteSize.KiB);

    public static Row ReadAsync(int userBufferBytes, RowTarget target) => Read(
        $"stream-read-async-{userBufferBytes}", $"ReadAsync 100 MiB by {userBufferBytes:#,0} B",
        "hot, default buffer: each piece must not cost a thread hop, nor each 4 KiB a system call", userBufferBytes, target,
        asynchronous: true);

    public static Row WriteAsync(int userBufferBytes, RowTarget target) => Write(
        $"stream-write-async-{userBufferBytes}", $"WriteAsync 100 MiB by {userBufferBytes:#,0} B",
        "default buffer; the file of the pass before is emptied first, as FileMode.Create does, and that is part of it", userBufferBytes,
        target, asynchronous: true);

    public static Row ReadSync(int userBufferBytes, RowTarget target) => Read(
        $"stream-read-{userBufferBytes}", $"Read 100 MiB by {userBufferBytes:#,0} B", "hot, default buffer, synchronous", userBufferBytes,
        target, asynchronous: false);

    public static Row WriteSync(int userBufferBytes, RowTarget target) => Write(
        $"stream-write-{userBufferBytes}", $"Write 100 MiB by {userBufferBytes:#,0} B", "default buffer, synchronous", userBufferBytes,
        target, asynchronous: false);

    public static Row ReadUnbufferedAsync(int userBufferBytes, RowTarget target) => Read(
        $"stream-unbuffered-read-async-{userBufferBytes}", $"ReadAsync 100 MiB by {userBufferBytes:#,0} B, unbuffered",
        "bufferSize 0: a system call for each piece on either side", userBufferBytes, target, asynchronous: true, NoBuffer);

    public static Row WriteUnbufferedAsync(int userBufferBytes, RowTarget target) => Write(
        $"stream-unbuffered-write-async-{userBufferBytes}", $"WriteAsync 100 MiB by {userBufferBytes:#,0} B, unbuffered",
        "bufferSize 0: a system call for each piece on either side", userBufferBytes, target, asynchronous: true, NoBuffer);

    public static Row ReadSmallAsync(long fileSizeBytes, string size, RowTarget target) => new(
        $"stream-file-read-{size}", $"file of {ByteSize.Format(fileSizeBytes)}, ReadAsync",
        "hot, open to close, by 4,096 B: what opening costs and how soon the buffer has grown",
        context => OpenRead(StreamOpening.Reading(context.SmallFile(fileSizeBytes), fileSizeBytes, asynchronous: true), PageBytes))
    {
        Target = target with { AllocatesNoMore = true },
    };

    public static Row WriteSmallAsync(long fileSizeBytes, string size, RowTarget target) => new(
        $"stream-file-write-{size}", $"file of {ByteSize.Format(fileSizeBytes)}, WriteAsync",
        "open to close, by 4,096 B, over the file of the pass before",
        context => OpenWrite(context, "small.dat", path => StreamOpening.Writing(path, fileSizeBytes, asynchronous: true), PageBytes))
    {
        Target = target with { AllocatesNoMore = true },
    };

    private static Row Read(
        string id, string name, string why, int userBufferBytes, RowTarget target, bool asynchronous, int? bufferSizeBytes = null) =>
        new(id, name, why, context => OpenRead(
            StreamOpening.Reading(context.StreamFile, context.Scale.StreamFileBytes, asynchronous, bufferSizeBytes), userBufferBytes))
        {
            Unit = RateUnit.MiBPerSecond,
            BytesPerOperation = scale => scale.StreamFileBytes,
            Target = target with { AllocatesNoMore = true },
        };

    private static Row Write(
        string id, string name, string why, int userBufferBytes, RowTarget target, bool asynchronous, int? bufferSizeBytes = null) =>
        new(id, name, why, context => OpenWrite(
            context, "written.dat", path => StreamOpening.Writing(path, context.Scale.StreamFileBytes, asynchronous, bufferSizeBytes),
            userBufferBytes))
        {
            Unit = RateUnit.MiBPerSecond,
            BytesPerOperation = scale => scale.StreamFileBytes,
            Target = target with { AllocatesNoMore = true },
        };

    public static Contest OpenRead(StreamOpening opening, int userBufferBytes)
    {
        byte[] buffer = new byte[userBufferBytes];
        return new Contest(Side<SluiceStreamSide>(), Side<FileStreamSide>());

        Contender Side<TSide>()
            where TSide : struct, IStreamSide<TSide> => opening.Asynchronous
            ? Loops.PassesAsync(TSide.Name, () => StreamPasses.ReadAsync<TSide>(opening, buffer))
            : Loops.Passes(TSide.Name, () => StreamPasses.Read<TSide>(opening, buffer));
    }

    /// <param name="open">How each side opens its file.</param>
    public static Contest OpenWrite(BenchContext context, string fileName, Func<string, StreamOpening> open, int userBufferBytes)
    {
        byte[] buffer = new byte[userBufferBytes];
        new Random(1).NextBytes(buffer);
        return new Contest(Side<SluiceStreamSide>(), Side<FileStreamSide>());

        Contender Side<TSide>()
            where TSide : struct, IStreamSide<TSide>
        {
            StreamOpening opening = open(context.ScratchFile<TSide>(fileName));
            return opening.Asynchronous
                ? Loops.PassesAsync(TSide.Name, () => StreamPasses.WriteAsync<TSide>(opening, buffer))
                : Loops.Passes(TSide.Name, () => StreamPasses.Write<TSide>(opening, buffer));
        }
    }
}
