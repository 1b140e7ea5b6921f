using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Streams;

/// <summary>SluiceStream against FileStream: the rows of the .NET 6 text, and what programs put on top of a stream.</summary>
internal static class StreamSuite
{
    public static Suite Create() => new(
        "stream", "SluiceStream against FileStream", "3 minutes", scale => scale.StreamSliceTime,
        // Each side writes a file of its own, and so does a second peer.
        static scale => new SuiteSpace(
            3 * scale.StreamFileBytes, ("sequential.dat", scale.SequentialFileBytes), ("stream.dat", scale.StreamFileBytes),
            ("bytes.dat", scale.ByteFileBytes), ("lines.txt", scale.ByteFileBytes)), [.. Rows()]);

    private static IEnumerable<Row> Rows()
    {
        yield return TransferRows.ReadAsync(512, new RowTarget { MinRatio = 3, MaxCpuShare = 0.25 });
        yield return TransferRows.ReadAsync(4096, new RowTarget { MinRatio = 3, MaxCpuShare = 0.25 });
        yield return TransferRows.ReadAsync(16_384, new RowTarget { MinRatio = 1.3, MaxCpuShare = 0.25 });
        yield return TransferRows.WriteAsync(512, new RowTarget { MinRatio = 1.8, MaxCpuShare = 0.25 }).FillingForSlice();
        yield return TransferRows.WriteAsync(4096, new RowTarget { MinRatio = 1.8, MaxCpuShare = 0.25 }).FillingForSlice();
        yield return TransferRows.WriteAsync(16_384, new RowTarget { MinRatio = 1.25, MaxCpuShare = 0.25 }).FillingForSlice();
        yield return TransferRows.ReadSync(4096, new RowTarget { MinRatio = 2 });
        yield return TransferRows.WriteSync(4096, new RowTarget { MinRatio = 2 }).FillingForSlice();
        yield return TransferRows.ReadUnbufferedAsync(4096, new RowTarget { MinRatio = 1.3 });
        yield return TransferRows.ReadUnbufferedAsync(16_384, new RowTarget { MinRatio = 1.3 });
        yield return TransferRows.WriteUnbufferedAsync(4096, new RowTarget { MinRatio = 1.2 }).FillingForSlice();
        yield return TransferRows.WriteUnbufferedAsync(16_384, new RowTarget { MinRatio = 1.05 }).FillingForSlice();
        yield return TransferRows.ReadSmallAsync(ByteSize.MiB, "1m", new RowTarget { MinRatio = 2 });
        yield return TransferRows.WriteSmallAsync(ByteSize.MiB, "1m", new RowTarget { MinRatio = 2 });
        yield return TransferRows.ReadSmallAsync(ByteSize.KiB, "1k", new RowTarget { MinRatio = 1 });
        yield return TransferRows.WriteSmallAsync(ByteSize.KiB, "1k", new RowTarget { MinRatio = 1 });
        yield return UnitRows.ReadByte();
        yield return UnitRows.WriteByte().FillingForSlice();
        yield return UnitRows.ReadByteAsync();
        yield return PositionRows.SeekForward();
        yield return PositionRows.SeekBackward();
        yield return PositionRows.GetLength();
        yield return PositionRows.SetPosition();
        yield return UnitRows.ReadInt32();
        yield return UnitRows.ReadLine();
        yield return UnitRows.ReadLineAsync();
        yield return StreamFileRows.CopyToFile().FillingForSlice();
        yield return StreamFileRows.CopyToSink();
        yield return StreamFileRows.Gather().FillingForSlice();
        yield return StreamFileRows.Preallocated().FillingForSlice();
        yield return StreamFileRows.Grown().FillingForSlice();
        yield return StreamFileRows.DirectSequential();
        yield return StreamFileRows.Open();
    }
}
