using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Bench.Files;
using Sluice.Cli.Bench.Handles;
using Sluice.Cli.Bench.Logs;
using Sluice.Cli.Bench.Sequential;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Everyday;

/// <summary>
/// The suite that `sluice bench` runs by default: the work of ordinary programs, in the way that docs/guide.md recommends and in the way
/// that programs do it with System.IO. A new row is an entry of <see cref="Rows"/>: an id, a name of at most <see cref="MaxNameLength"/>
/// characters, a line that names the calls of Sluice and of .NET, and a contest.
/// </summary>
internal static class EverydaySuite
{
    public const string Name = "everyday";

    /// <summary>The maximum length of a row's name, with which the lines of the table have at most 80 columns.</summary>
    public const int MaxNameLength = 29;

    private const int PageBytes = (int)(4 * ByteSize.KiB);
    private const int SmallBytes = 100;
    private const int AppendThreads = 8;
    private const int BusyCount = 4;

    /// <summary>The disk space of a small file, in bytes: a block and its share of a folder.</summary>
    private const long BytesOfFile = 9 * ByteSize.KiB / 2;

    public static Suite Create() => new(Name, 2, static scale => scale.SliceTime, [.. Rows()])
    {
        // On a slow disk, this limit keeps a run short; rows with large files then have too few pairs for a verdict.
        RowTime = TimeSpan.FromSeconds(5),
    };

    /// <summary>
    /// The disk space of a row that creates trees, in bytes: one tree for each of the two warm-ups, and four for each round.
    /// </summary>
    private static long BytesOfTrees(BenchScale scale) => (2 + (4L * scale.Rounds)) * scale.SmallFileCount * BytesOfFile;

    /// <summary>The upper bound of the bytes that one slice appends.</summary>
    private static long BytesOfAppends(BenchScale scale) => 4 * scale.AppendLimitBytes;

    private static IEnumerable<Row> Rows()
    {
        yield return OpenAndRead("everyday-open-stream", "read a 4 KiB file: stream",
            "open, read, close, by SluiceStream; by FileStream",
            static (path, buffer) =>
            {
                using var stream = new SluiceStream(path, FileMode.Open, FileAccess.Read);
                return stream.Read(buffer);
            },
            static (path, buffer) =>
            {
                using var stream = new FileStream(path, FileMode.Open, FileAccess.Read);
                return stream.Read(buffer);
            });
        yield return OpenAndRead("everyday-open-handle", "read a 4 KiB file: handle",
            "open, read, close, by SluiceHandle; by File.OpenHandle and RandomAccess",
            static (path, buffer) =>
            {
                using SluiceHandle handle = SluiceHandle.Open(path);
                return handle.Read(buffer, 0);
            },
            static (path, buffer) =>
            {
                using SafeFileHandle handle = File.OpenHandle(path);
                return RandomAccess.Read(handle, buffer, 0);
            });
        yield return new Row("everyday-text-read", "ReadAllText, 4 KiB", "SluiceFile.ReadAllText; File.ReadAllText", context =>
        {
            (string path, string text) = (context.ScratchFile("text.txt"), Text(PageBytes));
            File.WriteAllText(path, text);
            (string ours, string theirs) = ("", "");
            return Contest.Passes(
                () => (ours = SluiceFile.ReadAllText(path)).Length, () => (theirs = File.ReadAllText(path)).Length,
                expected: text.Length).Checked(_ => FileCheck.Same<char>(text, ours, path), _ => FileCheck.Same<char>(text, theirs, path));
        });
        yield return new Row("everyday-text-write", "WriteAllText, 4 KiB", "SluiceFile.WriteAllText; File.WriteAllText", context =>
        {
            string text = Text(PageBytes);
            byte[] bytes = Encoding.UTF8.GetBytes(text);
            string ours = context.ScratchFile<SluiceStreamSide>("text.txt");
            string theirs = context.ScratchFile<FileStreamSide>("text.txt");
            return Contest.Passes(
                () =>
                {
                    SluiceFile.WriteAllText(ours, text);
                    return 0;
                },
                () =>
                {
                    File.WriteAllText(theirs, text);
                    return 0;
                }).Checked(_ => FileCheck.Content(ours, bytes), _ => FileCheck.Content(theirs, bytes));
        });
        yield return new Row("everyday-copy-small", "copy of one file of 4 KiB", "SluiceFile.CopyAsync; File.Copy",
            static context => SingleRows.OpenCopy(context, PageBytes));
        yield return new Row("everyday-copy-large", "copy of 256 MiB", "SluiceFile.CopyAsync; File.Copy; the source is not in memory",
            static context =>
            {
                _ = context.CopyFile;
                context.RequireRoom(context.Scale.CopyFileBytes);
                return CopyRows.OpenCopy(context);
            })
        {
            BytesPerOperation = static scale => scale.CopyFileBytes,
            Fills = PageCacheFill.Once,
        };
        yield return new Row("everyday-lines", "lines: bytes (.NET: strings)",
            "SluiceReader.EnumerateLines, as bytes; StreamReader.ReadLine, as strings", static context =>
            {
                string path = context.LogFile;
                // A line has 100 bytes including its line end, which is not counted as a character.
                long characters = context.Scale.LogFileBytes / SmallBytes * (SmallBytes - 1);
                return Contest.Passes(
                    () => SequentialRows.ReadLines(path), () => SequentialRows.ReadStrings(path), expected: characters);
            })
        {
            BytesPerOperation = static scale => scale.LogFileBytes,
        };
        yield return StreamRead("everyday-stream-read-4k", "awaited reads of 4 KiB", PageBytes, asynchronous: true);
        yield return StreamWrite("everyday-stream-write-4k", "awaited writes of 4 KiB", PageBytes, asynchronous: true);
        yield return StreamRead("everyday-stream-read-100", "reads of 100 bytes", SmallBytes, asynchronous: false);
        yield return StreamWrite("everyday-stream-write-100", "writes of 100 bytes", SmallBytes, asynchronous: false);
        foreach (int depth in (int[])[1, 4, 32])
        {
            yield return new Row($"everyday-direct-d{depth}", $"direct 4 KiB reads, depth {depth}",
                "SluiceHandle.ReadAsync; RandomAccess.ReadAsync of a handle with O_DIRECT; at random offsets",
                context => HandleRows.OpenDirectRead(context, depth).Checked(_ => CheckDirect(context), _ => CheckDirect(context)));
        }
        yield return new Row("everyday-append", "append of a line, 8 threads",
            "SluiceHandle.Append; lock, FileStream.Write and Flush", OpenAppend)
        {
            Fills = PageCacheFill.ForSlice,
        };
        yield return new Row("everyday-files-read", "read 1,000 files (to a loop)",
            "SluiceFile.ReadManyAsync; File.ReadAllBytes in a loop; in the page cache", static context =>
            {
                var tree = FileTree.Ensure(
                    context.KeptPath("everyday-small"), context.Scale.SmallFileCount, PageBytes, isFlat: false, context.CancellationToken);
                return Contest.Passes(
                    () => SmallFileRows.ReadBatchAsync(tree), () => new ValueTask<long>(SmallFileRows.ReadOneByOne(tree)),
                    countUnits: true, expected: tree.Paths.Length);
            });
        yield return new Row("everyday-files-write", "write 1,000 files (to a loop)",
            "SluiceFile.WriteManyAsync; File.WriteAllBytes in a loop; each file is new", static context =>
            {
                context.RequireRoom(BytesOfTrees(context.Scale));
                return SmallFileRows.OpenWrite(context, Name);
            })
        {
            Fills = PageCacheFill.Once,
        };
        foreach (int threads in (int[])[8, 64])
        {
            yield return new Row($"everyday-log-durable-t{threads}", $"durable records, {threads} threads",
                "SluiceLog.Append; lock, FileStream.Write and Flush(true)", context =>
                {
                    context.RequireRoom(BytesOfAppends(context.Scale));
                    return LogSuite.OpenDurable(context, threads);
                });
        }
        yield return new Row("everyday-first-use", "first use in a new process",
            "the first open and read of 4 KiB, by SluiceHandle; by RandomAccess; without the start of the process",
            static context => HandleRows.OpenFirstOpen(context));
        yield return new Row("everyday-busy", "64 requests, all CPUs busy",
            "direct SluiceHandle.ReadAsync and 50 us of work in 64 loops, beside four processes that compute; RandomAccess.ReadAsync",
            OpenBusy);
    }

    /// <summary>Creates a row whose operation opens, reads and closes a file of 4 KiB.</summary>
    private static Row OpenAndRead(
        string id, string name, string why, Func<string, byte[], int> sluice, Func<string, byte[], int> dotNet) => new(
        id, name, why, context =>
        {
            string path = context.SmallFile(PageBytes);
            byte[] ours = new byte[PageBytes];
            byte[] theirs = new byte[PageBytes];
            return Contest.Passes(() => sluice(path, ours), () => dotNet(path, theirs), expected: PageBytes)
                .Checked(_ => FileCheck.Content(path, ours), _ => FileCheck.Content(path, theirs));
        });

    private static Row StreamRead(string id, string name, int bytes, bool asynchronous) => new(
        id, name, $"SluiceStream; FileStream; a file in the page cache, {(asynchronous ? "ReadAsync" : "Read")} from its front to its end",
        context =>
        {
            string path = context.StreamFile;
            var opening = StreamOpening.Reading(path, context.Scale.StreamFileBytes, asynchronous);
            byte[] content = File.ReadAllBytes(path);
            return StreamRows.OpenRead(opening, bytes).Checked(_ => Check<SluiceStreamSide>(), _ => Check<FileStreamSide>());

            void Check<TSide>()
                where TSide : struct, IStreamSide
            {
                using Stream stream = TSide.Open(opening);
                byte[] read = new byte[content.Length];
                for (int at = 0, got; at < read.Length; at += got)
                {
                    Memory<byte> piece = read.AsMemory(at, Math.Min(bytes, read.Length - at));
                    got = asynchronous ? stream.ReadAsync(piece).AsTask().GetAwaiter().GetResult() : stream.Read(piece.Span);
                    if (got == 0)
                        throw new IOException($"{path} ended at {at}");
                }
                FileCheck.Same<byte>(content, read, path);
            }
        })
    {
        BytesPerOperation = static scale => scale.StreamFileBytes,
    };

    private static Row StreamWrite(string id, string name, int bytes, bool asynchronous) => new(
        id, name, $"SluiceStream; FileStream; {(asynchronous ? "WriteAsync" : "Write")}, a file from open to close", context =>
        {
            const string file = "written.dat";
            long length = context.Scale.StreamFileBytes;
            byte[] piece = new byte[bytes];
            // StreamRows.OpenWrite fills its buffer in the same way.
            new Random(1).NextBytes(piece);
            return StreamRows.OpenWrite(context, file, path => StreamOpening.Writing(path, length, asynchronous), bytes).Checked(
                _ => FileCheck.Repeats(context.ScratchFile<SluiceStreamSide>(file), piece, length),
                _ => FileCheck.Repeats(context.ScratchFile<FileStreamSide>(file), piece, length));
        })
    {
        BytesPerOperation = static scale => scale.StreamFileBytes,
        Fills = PageCacheFill.ForSlice,
    };

    /// <summary>Checks that direct reads of a few pages return the same data as the page cache.</summary>
    private static void CheckDirect(BenchContext context)
    {
        const int Pages = 8;
        string path = context.DirectFile;
        using SluiceHandle direct = SluiceHandle.Open(path, caching: FileCaching.Direct);
        using SafeFileHandle cached = File.OpenHandle(path);
        byte[] read = new byte[PageBytes];
        byte[] expected = new byte[PageBytes];
        for (long i = 0; i < Pages; i++)
        {
            long at = context.Scale.DirectFileBytes / Pages / PageBytes * i * PageBytes;
            Loops.RequireWhole(direct.Read(read, at), PageBytes);
            Loops.RequireWhole(RandomAccess.Read(cached, expected, at), PageBytes);
            FileCheck.Same<byte>(expected, read, path);
        }
    }

    private static Contest OpenAppend(BenchContext context)
    {
        context.RequireRoom(BytesOfAppends(context.Scale));
        byte[][] lines =
        [
            .. Enumerable.Range(0, AppendThreads).Select(
                i => Encoding.ASCII.GetBytes($"{i} INFO a line of this thread's, as a program logs it".PadRight(SmallBytes - 1) + '\n')),
        ];
        string ourPath = context.ScratchFile<SluiceStreamSide>("lines.txt");
        string theirPath = context.ScratchFile<FileStreamSide>("lines.txt");
        SluiceHandle ours = SluiceHandle.Open(ourPath, FileMode.Create, FileAccess.ReadWrite);
        var theirs = new FileStream(theirPath, FileMode.Create, FileAccess.Write);
        var gate = new Lock();
        return new Contest(
            Side("Sluice", i => ours.Append(lines[i]), () => RandomAccess.SetLength(ours.SafeFileHandle, 0), ourPath),
            Side(BenchTable.DotNetName, AppendUnderLock, () => theirs.SetLength(0), theirPath), ours, theirs);

        void AppendUnderLock(int i)
        {
            lock (gate)
            {
                theirs.Write(lines[i]);
                theirs.Flush();
            }
        }

        Contender Side(string name, Action<int> append, Action empty, string path) => Loops.Threads(name, AppendThreads, append, empty) with
        {
            Verify = slice =>
            {
                FileCheck.Length(path, slice.Operations * SmallBytes);
                byte[] content = File.ReadAllBytes(path);
                for (int at = 0; at < content.Length; at += SmallBytes)
                    FileCheck.Same<byte>(lines[Math.Clamp(content[at] - '0', 0, AppendThreads - 1)], content.AsSpan(at, SmallBytes), path);
            },
        };
    }

    private static Contest OpenBusy(BenchContext context)
    {
        const int Depth = 64;
        const int ComputeUs = 50;
        // This creates the file before the processors are busy.
        DirectIo.Require(context.DirectFile, FileCaching.Direct);
        return NeighbourRows.OpenWorking(context, ComputeUs, Depth, BusyProcesses.Start(BusyCount))
            .Checked(_ => CheckDirect(context), _ => CheckDirect(context));
    }

    /// <summary>Returns text with lines of 0 to 79 characters.</summary>
    private static string Text(int characters)
    {
        var random = new Random(42);
        var text = new StringBuilder();
        while (text.Length < characters)
            text.Append((char)('a' + random.Next(26)), random.Next(80)).Append('\n');
        return text.ToString(0, characters);
    }
}
