using Sluice.Cli.Bench.Files;
using Sluice.Cli.Bench.Handles;
using Sluice.Cli.Bench.Sequential;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Remote;

/// <summary>
/// Rows for file systems on another machine (NFS, SMB, GlusterFS, CephFS, sshfs): many concurrent requests, small files, trees, and
/// sequential transfers of a file. The files lie in the folder that the command line names, and are small enough for a slow file system.
/// The suite "all" does not include these rows.
/// </summary>
internal static class RemoteSuite
{
    private const int PageBytes = (int)(4 * ByteSize.KiB);
    private const int Rounds = 5;

    public static Suite Create() => new(
        "remote", "what counts on a file system of another machine", 5, static scale => scale.StreamSliceTime, [.. Rows()])
    {
        IsOnRequest = true,
    };

    private static IEnumerable<Row> Rows()
    {
        yield return Read(1, FileCaching.Direct);
        yield return Read(32, FileCaching.Direct);
        yield return Read(32, FileCaching.Cached).FillingForSlice();
        yield return new Row("remote-files-read", "2,000 x 4 KiB, read all, remote",
            "each file takes several requests, one after another; beside a loop, Parallel.ForEachAsync at its best degree",
            context => SmallFileRows.OpenRead(context, context.Scale.RemoteFileCount, cold: true))
        {
            MaxRounds = Rounds,
        }.FillingOnce();
        yield return new Row("remote-files-write", "2,000 x 4 KiB, write all, remote",
            "every file is new; .NET: a loop of WriteAllBytesAsync",
            context => SmallFileRows.OpenWrite(context, "remote-written", context.Scale.RemoteFileCount))
        {
            MaxRounds = Rounds,
        }.FillingOnce();
        yield return new Row("remote-copy-tree", "copy 2,000 files of 1 KiB, remote", "a source tree within the volume, against cp -r",
            context => CopyRows.OpenTree(context, "remote-tree", context.Scale.RemoteFileCount, isFlat: false))
        {
            MaxRounds = Rounds,
        }.FillingOnce();
        yield return Sequential("remote-seq-read", "cold sequential read of 256 MiB, remote",
            "through the page cache; .NET: FileStream, 1 MiB, synchronous",
            context => SequentialRows.OpenRead(context.RemoteFile, FileCaching.Cached));
        yield return Sequential("remote-seq-read-direct", "direct sequential read of 256 MiB, remote",
            "past the page cache, several blocks under way; .NET: FileStream, 1 MiB, synchronous, cold",
            context => SequentialRows.OpenRead(context.RemoteFile, FileCaching.Direct));
        yield return Sequential("remote-seq-write", "sequential write of 256 MiB, remote",
            "a new file, durable at the end on both sides; .NET: FileStream, 1 MiB, synchronous",
            context => SequentialRows.OpenWrite(
                context.ScratchFile("remote-written.dat"), context.Scale.RemoteFileBytes, FileCaching.Cached, preallocates: false));
    }

    private static Row Read(int depth, FileCaching caching)
    {
        bool isDirect = caching == FileCaching.Direct;
        return new Row(
            $"remote-read-4k-{(isDirect ? "direct" : "cold")}-d{depth}",
            $"{(isDirect ? "direct" : "cold")} 4 KiB random read, depth {depth}, remote",
            depth == 1 ? "ReadAsync, one loop: the way there and back" : "ReadAsync in so many loops: requests are under way together",
            context =>
            {
                RandomOffsets offsets = RandomOffsets.Of(context.Scale.RemoteFileBytes, PageBytes, depth);
                return HandleRows.Pair(
                    new TargetOptions(context.RemoteFile, FileMode.Open, FileAccess.Read) { Asynchronous = true, Caching = caching },
                    side => Loops.Read(side, depth, PageBytes, offsets), depth,
                    isDirect ? null : _ => BenchContext.DropCache(context.RemoteFile));
            })
        {
            IsRequest = true,
            Fio = isDirect ? new FioJob("randread", PageBytes, depth) { IsRemote = true } : null,
        };
    }

    private static Row Sequential(string id, string name, string why, Func<BenchContext, Contest> open) => new(id, name, why, open)
    {
        BytesPerOperation = scale => scale.RemoteFileBytes,
        FillsPageCache = true,
        MaxRounds = Rounds,
    };
}
