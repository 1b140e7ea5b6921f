using System.Runtime.CompilerServices;

namespace Sluice.Cli.Bench.Streams;

/// <summary>What moves the position or asks for the length, on an open stream over a file of 1 KiB, as in the .NET 6 text.</summary>
internal static class PositionRows
{
    private const int FileBytes = 1024;

    // Some hundred microseconds of calls between two looks at the clock.
    private const int Turns = 64;

    public static Row SeekForward() => Define(
        "stream-seek-forward", "SeekForward", "Seek(offset, Begin) over the file: the position lives in memory", Mode.SeekForward);

    public static Row SeekBackward() => Define(
        "stream-seek-backward", "SeekBackward", "Seek(-offset, End) over the file: asks for the length each time", Mode.SeekBackward);

    public static Row GetLength() => Define("stream-length", "Length", "a file that others may only read", Mode.Length);

    public static Row SetPosition() => Define("stream-position", "Position set", "as Seek, without a result", Mode.Position);

    private enum Mode { SeekForward, SeekBackward, Length, Position }

    private static Row Define(string id, string name, string why, Mode mode) => new(id, name, why, context => Open(context, mode))
    {
        Target = new RowTarget { MinRatio = 1, AllocatesNoMore = true },
    };

    private static Contest Open(BenchContext context, Mode mode)
    {
        StreamOpening opening = StreamOpening.Reading(context.SmallFile(FileBytes), FileBytes);
        SluiceStreamSide sluice = SluiceStreamSide.Open(opening);
        FileStreamSide dotNet = FileStreamSide.Open(opening);
        return new Contest(Side(sluice), Side(dotNet), sluice, dotNet);

        Contender Side<TSide>(TSide side)
            where TSide : struct, IStreamSide<TSide> => Loops.Passes(TSide.Name, mode switch
            {
                Mode.SeekForward => () => SeekForward(side),
                Mode.SeekBackward => () => SeekBackward(side),
                Mode.Length => () => GetLength(side),
                _ => () => SetPosition(side),
            }, countUnits: true) with
            { RunTimedAsync = TimedCalls.Of(() => (Call(side, mode), null)) };
    }

    private static Func<bool> Call<TSide>(TSide side, Mode mode)
        where TSide : struct, IStreamSide<TSide>
    {
        long next = 0;
        return mode switch
        {
            Mode.SeekForward => () => side.Seek(next++ % FileBytes, SeekOrigin.Begin) >= 0,
            Mode.SeekBackward => () => side.Seek(-1 - (next++ % FileBytes), SeekOrigin.End) >= 0,
            Mode.Length => () => side.Length == FileBytes,
            _ => () => (side.Position = next++ % FileBytes) >= 0,
        };
    }

    // One method for each loop, so that each is compiled for itself.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long SeekForward<TSide>(TSide side)
        where TSide : struct, IStreamSide<TSide>
    {
        for (int turn = 0; turn < Turns; turn++)
        {
            for (long offset = 0; offset < FileBytes; offset++)
                side.Seek(offset, SeekOrigin.Begin);
        }
        return Turns * FileBytes;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long SeekBackward<TSide>(TSide side)
        where TSide : struct, IStreamSide<TSide>
    {
        for (int turn = 0; turn < Turns; turn++)
        {
            for (long offset = -1; offset >= -FileBytes; offset--)
                side.Seek(offset, SeekOrigin.End);
        }
        return Turns * FileBytes;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long GetLength<TSide>(TSide side)
        where TSide : struct, IStreamSide<TSide>
    {
        for (int turn = 0; turn < Turns * FileBytes; turn++)
        {
            if (side.Length != FileBytes)
                throw new IOException($"a length of {FileBytes} bytes expected");
        }
        return Turns * FileBytes;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long SetPosition<TSide>(TSide side)
        where TSide : struct, IStreamSide<TSide>
    {
        for (int turn = 0; turn < Turns; turn++)
        {
            for (long offset = 0; offset < FileBytes; offset++)
                side.Position = offset;
        }
        return Turns * FileBytes;
    }
}
