using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Methods;

/// <summary>FileStream 4 to 8: BeginRead and EndRead, in blocks; the parsing ones parse a block while the next one is read.</summary>
internal static class BeginReadMethods
{
    public static IReadOnlyList<Method> All { get; } =
    [
        Method.Reading("FileStream4.BeginRead", IoSide.Bcl, ResultKind.Bytes, i => Read(i, new ReadWaiter.ByWaitHandle())),
        Method.Reading("FileStream5.BeginRead parsing", IoSide.Bcl, ResultKind.Lines, i => Parse(i, new ReadWaiter.ByWaitHandle())),
        Method.Reading("FileStream6.BeginRead parsing, monitor", IoSide.Bcl, ResultKind.Lines, i => Parse(i, new ReadWaiter.ByMonitor())),
        Method.Reading("FileStream7.BeginRead, no lock", IoSide.Bcl, ResultKind.Bytes, i => Read(i, new ReadWaiter.ByEndRead())),
        Method.Reading("FileStream8.BeginRead parsing, no lock", IoSide.Bcl, ResultKind.Lines, i => Parse(i, new ReadWaiter.ByEndRead())),
    ];

    private static FileStream Open(MethodInput input) => new(
        input.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.Asynchronous | FileOptions.SequentialScan);

    private static MethodResult Read(MethodInput input, ReadWaiter waiter)
    {
        using FileStream file = Open(input);
        int total = 0;
        int got;
        do
        {
            int wanted = Math.Min(MethodInput.BlockSize, input.Bytes.Length - total);
            IAsyncResult read = file.BeginRead(input.Bytes, total, wanted, waiter.Callback, state: null);
            waiter.Wait(read);
            got = file.EndRead(read);
            total += got;
        }
        while (got > 0 && total < input.Bytes.Length);
        return MethodResult.Bytes(input.Bytes.AsMemory(0, total));
    }

    private static MethodResult Parse(MethodInput input, ReadWaiter waiter)
    {
        Checksum sum = input.NewSum();
        LineParser<byte> parser = LineParsing.OfBytes(sum);
        using FileStream file = Open(input);
        byte[] coming = new byte[MethodInput.BlockSize];
        byte[] come = new byte[MethodInput.BlockSize];
        IAsyncResult read = file.BeginRead(coming, 0, coming.Length, waiter.Callback, state: null);
        while (true)
        {
            waiter.Wait(read);
            int got = file.EndRead(read);
            if (got == 0)
                break;
            (coming, come) = (come, coming);
            read = file.BeginRead(coming, 0, coming.Length, waiter.Callback, state: null);
            parser.Feed(come.AsSpan(0, got));
        }
        parser.End();
        return MethodResult.Lines(sum);
    }
}
