using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>Records that must be on the disk, each before the next one.</summary>
internal static class DurableWriting
{
    private const int RecordBytes = 200;
    private const long ReservedBytes = 16 * 1024 * 1024;

    public static AdviceTopic Create() => new(
        "Records that must be on the disk", "write a record, and know that it is on the disk", "records/s", "net", Open, c =>
        [
            $"Data only (fdatasync) is {c.Compare("append", "append-all")} everything; with the length fixed beforehand, "
                + $"{c.Compare("fixed", "append")} growing.",
        ])
    {
        Writes = true,
    };

    private static IReadOnlyList<Approach> Open(BenchContext context)
    {
        byte[] record = new byte[RecordBytes];
        new Random(1).NextBytes(record);
        string path = context.ScratchFile("advise-records.dat");
        return
        [
            Make("net", ".NET FileStream", "stream.Write(record); stream.Flush(flushToDisk: true);", slice =>
            {
                using FileStream stream = File.Create(path);
                while (!slice.IsOver)
                {
                    stream.Write(record);
                    stream.Flush(flushToDisk: true);
                    slice.Count(0);
                }
            }),
            Make("net-handle", ".NET RandomAccess", "RandomAccess.Write(handle, record, offset); RandomAccess.FlushToDisk(handle);",
                slice =>
            {
                using SafeFileHandle handle = File.OpenHandle(path, FileMode.Create, FileAccess.Write);
                for (long offset = 0; !slice.IsOver; offset += RecordBytes)
                {
                    RandomAccess.Write(handle, record, offset);
                    RandomAccess.FlushToDisk(handle);
                    slice.Count(0);
                }
            }),
            Make("append-all", "SluiceHandle, appended", "handle.Append(record); handle.FlushToDisk();",
                slice => Append(slice, static handle => handle.FlushToDisk())),
            Make("append", "SluiceHandle, appended, data only", "handle.Append(record); handle.FlushDataToDisk();",
                slice => Append(slice, static handle => handle.FlushDataToDisk())),
            Make("fixed", "SluiceHandle, in a file of fixed length, data only",
                "handle.Write(record, offset); handle.FlushDataToDisk();  // the file written to its full length once", slice =>
                {
                    using SluiceHandle handle = SluiceHandle.Open(path + ".fixed", FileMode.Open, FileAccess.ReadWrite);
                    for (long offset = 0; !slice.IsOver; offset = (offset + RecordBytes) % (ReservedBytes - RecordBytes))
                    {
                        handle.Write(record, offset);
                        handle.FlushDataToDisk();
                        slice.Count(0);
                    }
                }, () => Reserve(context.ScratchFile("advise-records.dat.fixed"))),
        ];

        static Approach Make(string key, string name, string code, Action<Slice> write, Action? prepare = null) =>
            new(key, name, code, slice =>
        {
            write(slice);
            return Task.CompletedTask;
        })
            { Prepare = prepare };

        void Append(Slice slice, Action<SluiceHandle> flush)
        {
            using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write);
            while (!slice.IsOver)
            {
                handle.Append(record);
                flush(handle);
                slice.Count(0);
            }
        }
    }

    // Blocks that were never written would each need the file system's journal too.
    private static void Reserve(string path)
    {
        if (File.Exists(path))
            return;
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write);
        byte[] zeros = new byte[1024 * 1024];
        for (long offset = 0; offset < ReservedBytes; offset += zeros.Length)
            handle.Write(zeros, offset);
        handle.FlushToDisk();
    }
}
