using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Bench.Handles;

/// <summary>Rows about the life of a file: appended to by many, allocated ahead, opened and closed.</summary>
internal static class HandleFileRows
{
    public static Row ThreadsAppend() => new(
        "append-200-t64", "append 200 B from 64 threads",
        "logs and journals with many writers; .NET: a lock around RandomAccess.Write", OpenThreadsAppend);

    public static Row OpenClose() => new("open-close", "open + close", "a handle must not cost more than .NET's", OpenOpenClose);

    public static Row FirstOpen() => new(
        "first-open-read", "first open and read of a process",
        "the tool started anew opens a file and reads 4 KiB, synchronously: compiling counts, the start of the process does not",
        OpenFirstOpen);

    /// <summary>The contest of <see cref="FirstOpen"/>.</summary>
    public static Contest OpenFirstOpen(BenchContext context)
    {
        try
        {
            _ = Bench.FirstOpen.Measure("sluice", context.HotFile);
        }
        catch (IOException e)
        {
            throw new RowSkippedException("this tool cannot be started anew here", e);
        }
        return new Contest(
            Bench.FirstOpen.Side("Sluice", "sluice", context.HotFile), Bench.FirstOpen.Side(".NET", "dotnet", context.HotFile));
    }

    private static Contest OpenThreadsAppend(BenchContext context)
    {
        const int Threads = 64;
        const int RecordBytes = 200;
        string path = context.ScratchFile("log.dat");
        SluiceHandle sluice = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write, FileShare.ReadWrite);
        SafeFileHandle dotNet = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        Memory<byte>[] records = Loops.Buffers(Threads, RecordBytes);
        var gate = new Lock();
        long end = 0;
        Action truncate = () =>
        {
            RandomAccess.SetLength(dotNet, 0);
            end = 0;
        };
        return new Contest(
            new Contender("Sluice", Loops.OnThreads(Threads, thread => sluice.Append(records[thread].Span)))
            {
                Loops = Threads,
                Prepare = truncate,
            },
            new Contender(".NET", Loops.OnThreads(Threads, AppendUnderLock)) { Loops = Threads, Prepare = truncate },
            sluice, dotNet);

        void AppendUnderLock(int thread)
        {
            lock (gate)
            {
                RandomAccess.Write(dotNet, records[thread].Span, end);
                end += RecordBytes;
            }
        }
    }

    private static Contest OpenOpenClose(BenchContext context)
    {
        string path = context.HotFile;
        return new Contest(
            slice => Loops.Repeat(slice, _ =>
                SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.Read, FileOptions.Asynchronous).Dispose()),
            slice => Loops.Repeat(slice, _ =>
                File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.Read, FileOptions.Asynchronous).Dispose()));
    }
}
