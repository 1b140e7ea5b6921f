using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Files;
using Sluice.Cli.Bench.Sequential;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Advise;

/// <summary>The nine tasks, each with its approaches and a line of C# for each approach.</summary>
internal static class AdviceTopics
{
    private const int KiB = 1024;
    private const int MiB = 1024 * KiB;
    private const int PageBytes = 4 * KiB;
    private const int Many = 32;
    private const int Batch = 128;
    private const int RecordBytes = 200;
    private const long ReservedBytes = 16 * MiB;

    private static readonly int[] GridSizes = [64 * KiB, 256 * KiB, MiB, 4 * MiB];
    private static readonly int[] GridDepths = [1, 4, 16];

    public static IReadOnlyList<AdviceTopic> All(AdviseScale scale, CancellationToken cancellationToken) =>
    [
        new("A large file, read once", "read a large file once, in order", AdviceTopic.BytesUnit, "net", SequentialReading,
            SequentialReadingRemarks)
        {
            Grid = context => MeasureGridAsync(context, scale, cancellationToken),
        },
        new("A large new file", "write a large file, on the disk at the end", AdviceTopic.BytesUnit, "net",
            context => SequentialWriting(context, scale.WrittenBytes), SequentialWritingRemarks)
        {
            Writes = true,
        },
        new("Many small reads of a file that is not in memory", "read 4 KiB here and there in a large file", "reads/s", "net-sync",
            ColdReading, c => !c.Has("direct-many") ? [] :
            [
                $"Direct at depth {Many} is {c.Compare("direct-many", "direct-one")} one at a time.",
                $"Direct is {c.Compare("direct-many", "cold-many")} cached at that depth, for {c.CompareCpu("direct-many", "cold-many")}.",
            ]),
        new("Small reads of a file that is in memory", "read 4 KiB here and there in a file that is cached", "reads/s", "net", HotReading,
            c =>
            [
                $"An asynchronous read of Sluice is {c.Compare("sluice-async", "sluice")} a synchronous one; .NET's is "
                    + $"{c.Compare("net-async", "net")} its own.",
            ]),
        new("Lines of text", "read a text line by line", AdviceTopic.BytesUnit, "net", TextReading, c =>
        [
            $"As strings, Sluice is {c.Compare("strings", "net")} File.ReadLines; without a thread to block, "
                + $"{c.Compare("bytes-async", "net-async")} StreamReader.ReadLineAsync.",
        ]),
        new("Many small files, read", "read many files of 4 KiB", "files/s", "net", SmallFilesReading, _ => []),
        new("Many small files, written", "write many files of 4 KiB", "files/s", "net", SmallFilesWriting, _ => []) { Writes = true },
        new("A copy", "copy a large file", AdviceTopic.BytesUnit, "net", Copying, c =>
        [
            $"Neither is on the disk when it ends. Where it must be, Sluice's (FlushToDisk) is {c.Compare("durable", "net-durable")} "
                + $"File.Copy and a flush, for {c.CompareCpu("durable", "net-durable")}.",
        ])
        {
            Writes = true,
        },
        new("Records that must be on the disk", "write a record, and know that it is on the disk", "records/s", "net", DurableWriting, c =>
        [
            $"Data only (fdatasync) is {c.Compare("append", "append-all")} everything; with the length fixed beforehand, "
                + $"{c.Compare("fixed", "append")} growing.",
        ])
        {
            Writes = true,
        },
    ];

    private static IReadOnlyList<Approach> SequentialReading(BenchContext context)
    {
        string path = context.DirectFile;
        StreamOpening opening = StreamOpening.Reading(path, context.Scale.DirectFileBytes);
        return
        [
            Approach.Of("net", ".NET FileStream", "using FileStream stream = File.OpenRead(path);  // read by 64 KiB",
                StreamPasses.Timed<FileStreamSide>(opening, 64 * KiB)),
            Approach.Of("net-large", ".NET FileStream, 1 MiB requests",
                "using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);  // read by 1 MiB",
                StreamPasses.Timed<FileStreamSide>(
                    StreamOpening.Reading(path, context.Scale.DirectFileBytes, bufferSizeBytes: 0), MiB)),
            Approach.Of("stream", "SluiceStream",
                "using SluiceStream stream = new(path, FileMode.Open, FileAccess.Read);  // read by 64 KiB",
                StreamPasses.Timed<SluiceStreamSide>(opening, 64 * KiB)),
            Cold("cached", "SluiceReader",
                "using SluiceReader reader = new(path);  // while (reader.TryReadBlock(out ReadOnlySpan<byte> block))", FileCaching.Cached),
            Cold("uncached", "SluiceReader, uncached",
                "using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Uncached });", FileCaching.Uncached),
            Cold("direct", "SluiceReader, direct",
                "using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Direct });", FileCaching.Direct),
            new("direct-async", "SluiceReader, direct, asynchronous",
                "ReadOnlyMemory<byte> block = await reader.ReadBlockAsync();  // until it is empty", ReadBlocksAsync)
            {
                Prepare = () => BenchContext.DropCache(path),
            },
        ];

        Approach Cold(string key, string name, string code, FileCaching caching) =>
            new(key, name, code, slice => ReadBlocks(slice, path, caching)) { Prepare = () => BenchContext.DropCache(path) };

        async Task ReadBlocksAsync(Slice slice)
        {
            await using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = FileCaching.Direct });
            while (!slice.IsOver && await reader.ReadBlockAsync() is { IsEmpty: false } block)
                slice.Count(0, block.Length);
        }
    }

    private static void ReadBlocks(Slice slice, string path, FileCaching caching, int requestBytes = 0, int depth = 0)
    {
        using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = caching, RequestSize = requestBytes, Depth = depth });
        while (!slice.IsOver && reader.TryReadBlock(out ReadOnlySpan<byte> block))
            slice.Count(0, block.Length);
    }

    private static IEnumerable<string> SequentialReadingRemarks(Comparison c)
    {
        if (c.Has("direct"))
        {
            yield return $"Direct is {c.Compare("direct", "cached")} cached, for {c.CompareCpu("direct", "cached")}, and leaves the page "
                + $"cache to others; cached is for files that will be read again soon.";
        }
        yield return $"Uncached, which goes through the page cache and leaves nothing there, is {c.Compare("uncached", "cached")} cached.";
        if (c.Has("direct-async"))
        {
            yield return $"Asynchronous blocks are {c.Compare("direct-async", "direct")} synchronous ones, for "
                + $"{c.CompareCpu("direct-async", "direct")}.";
        }
    }

    private static async Task<RequestGrid> MeasureGridAsync(BenchContext context, AdviseScale scale, CancellationToken cancellationToken)
    {
        string path = context.DirectFile;
        var turns = new TurnRunner(scale.GridSliceTime, scale.Rounds, cancellationToken);
        (int Size, int Depth)[] grid = [.. GridSizes.SelectMany(_ => GridDepths, (size, depth) => (size, depth))];
        IReadOnlyList<ContenderReport> readings = await turns.MeasureAllAsync(
        [
            .. grid.Select(g => new Approach("", "", "", slice => ReadBlocks(slice, path, FileCaching.Direct, g.Size, g.Depth))
            {
                MeasuresAllocations = true,
                Prepare = () => BenchContext.DropCache(path),
            }),
        ], 1.0 / MiB);
        return new RequestGrid("Direct reads", grid.Zip(readings).ToDictionary(g => g.First, g => g.Second));
    }

    private static IReadOnlyList<Approach> SequentialWriting(BenchContext context, long sizeBytes)
    {
        string path = context.ScratchFile("advise-written.dat");
        Memory<byte> buffer = PinnedBuffer.AllocateRandom(64 * KiB, seed: 1);
        StreamOpening opening = StreamOpening.Writing(path, sizeBytes);
        return
        [
            Approach.Of("net", ".NET FileStream", "using FileStream stream = File.Create(path);  // ... stream.Flush(flushToDisk: true);",
                StreamPasses.Timed<FileStreamSide>(opening, 64 * KiB)),
            Approach.Of("net-sized", ".NET FileStream, preallocated, 1 MiB requests",
                "using FileStream stream = new(path, new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize "
                    + "= 0, PreallocationSize = size });",
                StreamPasses.Timed<FileStreamSide>(
                    new StreamOpening(path, FileMode.Create, FileAccess.Write, sizeBytes)
                    {
                        BufferSizeBytes = 0,
                        PreallocationSizeBytes = sizeBytes,
                    }, MiB)),
            Approach.Of("stream", "SluiceStream",
                "using SluiceStream stream = new(path, FileMode.Create, FileAccess.Write);  // ... stream.Flush(flushToDisk: true);",
                StreamPasses.Timed<SluiceStreamSide>(opening, 64 * KiB)),
            Write("cached", "SluiceWriter", "using SluiceWriter writer = new(path, new SluiceWriterOptions { FlushToDisk = true });",
                new SluiceWriterOptions { FlushToDisk = true }),
            Write("cached-sized", "SluiceWriter, preallocated",
                "using SluiceWriter writer = new(path, new SluiceWriterOptions { PreallocationSize = size, FlushToDisk = true });",
                new SluiceWriterOptions { PreallocationSize = sizeBytes, FlushToDisk = true }),
            Write("direct", "SluiceWriter, direct",
                "using SluiceWriter writer = new(path, new SluiceWriterOptions { Caching = FileCaching.Direct, FlushToDisk = true });",
                new SluiceWriterOptions { Caching = FileCaching.Direct, FlushToDisk = true }),
            Write("direct-sized", "SluiceWriter, direct, preallocated",
                "using SluiceWriter writer = new(path, new SluiceWriterOptions { Caching = FileCaching.Direct, PreallocationSize = size, "
                    + "FlushToDisk = true });",
                new SluiceWriterOptions { Caching = FileCaching.Direct, PreallocationSize = sizeBytes, FlushToDisk = true }),
        ];

        Approach Write(string key, string name, string code, SluiceWriterOptions options) => new(key, name, code, slice =>
        {
            using var writer = new SluiceWriter(path, options);
            for (long left = sizeBytes; left > 0 && !slice.IsOver; left -= buffer.Length)
            {
                writer.Write(buffer.Span);
                slice.Count(0, buffer.Length);
            }
            writer.Complete();
        })
        {
            Prepare = () => File.Delete(path),
        };
    }

    private static IEnumerable<string> SequentialWritingRemarks(Comparison c)
    {
        if (!c.Has("direct"))
        {
            yield return $"Preallocated, the cached writer is {c.Compare("cached-sized", "cached")} without.";
            yield break;
        }
        yield return $"Preallocated, the direct writer is {c.Compare("direct-sized", "direct")} without, and the cached one "
            + $"{c.Compare("cached-sized", "cached")} without.";
        yield return $"Direct is {c.Compare("direct", "cached")} cached, for {c.CompareCpu("direct", "cached")}.";
    }

    private static IReadOnlyList<Approach> ColdReading(BenchContext context)
    {
        string path = context.DirectFile;
        RandomOffsets offsets = RandomOffsets.Of(context.Scale.DirectFileBytes, PageBytes, Many);
        return
        [
            Read("net-sync", ".NET, one after the other", "RandomAccess.Read(handle, buffer, offset);", IoSide.Bcl, FileCaching.Cached, 0),
            Read("net-many", $".NET, {Many} outstanding", "await RandomAccess.ReadAsync(handle, buffer, offset);", IoSide.Bcl,
                FileCaching.Cached, Many),
            Read("cold-many", $"SluiceHandle, {Many} outstanding", "await handle.ReadAsync(buffer, offset);", IoSide.Sluice,
                FileCaching.Cached, Many),
            Read("direct-one", "SluiceHandle, direct, one after the other", "handle.Read(buffer, offset);  // Caching = FileCaching.Direct",
                IoSide.Sluice, FileCaching.Direct, 0),
            Read("direct-many", $"SluiceHandle, direct, {Many} outstanding",
                "await handle.ReadAsync(buffer, offset);  // Caching = FileCaching.Direct", IoSide.Sluice, FileCaching.Direct, Many),
            new("batch", $"SluiceHandle, direct, batches of {Batch}", "handle.ReadBatch(requests);  // Caching = FileCaching.Direct",
                ReadBatches),
        ];

        Approach Read(string key, string name, string code, IoSide side, FileCaching caching, int depth) =>
            RandomReading(key, name, code, side, path, offsets, depth, caching) with { Prepare = () => BenchContext.DropCache(path) };

        void ReadBatches(Slice slice)
        {
            using SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct);
            Memory<byte> memory = PinnedBuffer.Allocate(Batch * PageBytes);
            var requests = new ReadRequest[Batch];
            while (!slice.IsOver)
            {
                for (int i = 0; i < requests.Length; i++)
                    requests[i] = new ReadRequest(offsets.Next(0), memory.Slice(i * PageBytes, PageBytes));
                handle.ReadBatch(requests);
                slice.Count(0, requests.Length);
            }
        }
    }

    private static IReadOnlyList<Approach> HotReading(BenchContext context)
    {
        string path = context.HotFile;
        RandomOffsets offsets = RandomOffsets.Of(context.Scale.HotFileBytes, PageBytes);
        return
        [
            RandomReading("net", ".NET", "RandomAccess.Read(handle, buffer, offset);", IoSide.Bcl, path, offsets, depth: 0),
            RandomReading("net-async", ".NET, asynchronous", "await RandomAccess.ReadAsync(handle, buffer, offset);", IoSide.Bcl, path,
                offsets, depth: 1),
            RandomReading("sluice", "SluiceHandle", "handle.Read(buffer, offset);", IoSide.Sluice, path, offsets, depth: 0),
            RandomReading("sluice-async", "SluiceHandle, asynchronous", "await handle.ReadAsync(buffer, offset);", IoSide.Sluice, path,
                offsets, depth: 1),
        ];
    }

    /// <param name="depth">Requests outstanding; 0: synchronous calls, one after the other.</param>
    private static Approach RandomReading(
        string key, string name, string code, IoSide side, string path, RandomOffsets offsets, int depth,
        FileCaching caching = FileCaching.Cached) => new(key, name, code, async slice =>
        {
            using IoTarget target = IoTarget.Open(side,
                new TargetOptions(path, FileMode.Open, FileAccess.Read) { Asynchronous = depth > 0, Caching = caching });
            await Loops.Read(target, Math.Max(1, depth), PageBytes, offsets)(slice);
        })
        {
            Loops = Math.Max(1, depth),
        };

    private static IReadOnlyList<Approach> TextReading(BenchContext context)
    {
        string path = context.LogFile;
        long sizeBytes = context.Scale.LogFileBytes;
        return
        [
            Pass("net", ".NET File.ReadLines", "foreach (string line in File.ReadLines(path))",
                () => new(SequentialRows.Consume(File.ReadLines(path)))),
            Pass("net-async", ".NET StreamReader.ReadLineAsync", "while (await reader.ReadLineAsync() is { } line)",
                () => SequentialRows.ReadStringsAsync(path)),
            Pass("strings", "Sluice, lines as strings", "foreach (string line in new SluiceReader(path).ReadStringLines())",
                () => new(SequentialRows.ReadStringLines(path))),
            Pass("bytes", "Sluice, lines as bytes", "foreach (ReadOnlySpan<byte> line in new SluiceReader(path).EnumerateLines())",
                () => new(SequentialRows.ReadLines(path))),
            Pass("bytes-async", "Sluice, lines as bytes, asynchronous",
                "await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())", () => SequentialRows.ReadLinesAsync(path)),
        ];

        Approach Pass(string key, string name, string code, Func<ValueTask<long>> readAsync) => new(key, name, code, async slice =>
        {
            do
            {
                _ = await readAsync();
                slice.Count(0, sizeBytes);
            }
            while (!slice.IsOver);
        });
    }

    private static IReadOnlyList<Approach> SmallFilesReading(BenchContext context)
    {
        FileTree tree = FileTree.Ensure(
            context.KeptPath("advise-small"), context.Scale.SmallFileCount, PageBytes, isFlat: false, context.CancellationToken);
        return
        [
            Pass("net", ".NET File.ReadAllBytes", "byte[] content = File.ReadAllBytes(path);",
                () => new(SmallFileRows.ReadOneByOne(tree))),
            Pass("net-async", ".NET File.ReadAllBytesAsync, in parallel",
                "await Parallel.ForEachAsync(paths, async (path, token) => await File.ReadAllBytesAsync(path, token));", async () =>
                {
                    await SmallFileRows.ReadInParallelAsync(tree, Environment.ProcessorCount);
                    return tree.Paths.Length;
                }),
            Pass("batch", "Sluice, a batch", "await foreach (FileReadResult file in SluiceFile.ReadManyAsync(paths))",
                () => SmallFileRows.ReadBatchAsync(tree)),
        ];

        static Approach Pass(string key, string name, string code, Func<ValueTask<long>> readAsync) =>
            Approach.Of(key, name, code, Loops.Passes(name, readAsync, countUnits: true));
    }

    private static IReadOnlyList<Approach> SmallFilesWriting(BenchContext context)
    {
        Contest contest = SmallFileRows.OpenWrite(context, "advise-written", context.Scale.SmallFileCount, synchronous: true);
        return
        [
            Approach.Of("net", ".NET File.WriteAllBytes", "File.WriteAllBytes(path, content);", contest.DotNet),
            Approach.Of("batch", "Sluice, a batch", "await SluiceFile.WriteManyAsync(files);  // (path, bytes) each", contest.Sluice),
        ];
    }

    private static IReadOnlyList<Approach> Copying(BenchContext context)
    {
        string source = context.CopyFile;
        string target = context.ScratchFile("advise-copy.dat");
        long sizeBytes = context.Scale.CopyFileBytes;
        return
        [
            Copy("net", ".NET File.Copy", "File.Copy(source, target);", () =>
            {
                File.Copy(source, target);
                return Task.CompletedTask;
            }),
            Copy("net-durable", ".NET File.Copy, then flushed",
                "File.Copy(source, target); using FileStream copy = File.OpenWrite(target); copy.Flush(flushToDisk: true);", () =>
            {
                File.Copy(source, target);
                using FileStream copy = File.OpenWrite(target);
                copy.Flush(flushToDisk: true);
                return Task.CompletedTask;
            }) with { DoesMore = true },
            Copy("net-stream", ".NET FileStream.CopyToAsync", "await from.CopyToAsync(to);", async () =>
            {
                await using var from = new FileStream(source, FileMode.Open, FileAccess.Read, FileShare.Read, 4096, useAsync: true);
                await using var to = new FileStream(target, FileMode.CreateNew, FileAccess.Write, FileShare.None, 4096, useAsync: true);
                await from.CopyToAsync(to);
            }),
            Copy("sluice", "Sluice CopyAsync", "await SluiceFile.CopyAsync(source, target);", () => SluiceFile.CopyAsync(source, target)),
            Copy("durable", "Sluice CopyAsync, on the disk",
                "await SluiceFile.CopyAsync(source, target, new CopyOptions { FlushToDisk = true });",
                () => SluiceFile.CopyAsync(source, target, new CopyOptions { FlushToDisk = true })) with { DoesMore = true },
        ];

        // One copy in each slice: a second one would find the pages of the first in the cache.
        Approach Copy(string key, string name, string code, Func<Task> copyAsync) => new(key, name, code, async slice =>
        {
            await copyAsync();
            slice.Count(0, sizeBytes);
        })
        {
            Prepare = () =>
            {
                File.Delete(target);
                BenchContext.DropCache(source);
            },
        };
    }

    private static IReadOnlyList<Approach> DurableWriting(BenchContext context)
    {
        byte[] record = new byte[RecordBytes];
        new Random(1).NextBytes(record);
        string path = context.ScratchFile("advise-records.dat");
        string fixedPath = context.ScratchFile("advise-fixed.dat");
        return
        [
            new("net", ".NET FileStream", "stream.Write(record); stream.Flush(flushToDisk: true);", slice =>
            {
                using FileStream stream = File.Create(path);
                while (!slice.IsOver)
                {
                    stream.Write(record);
                    stream.Flush(flushToDisk: true);
                    slice.Count(0);
                }
            }),
            new("net-handle", ".NET RandomAccess", "RandomAccess.Write(handle, record, offset); RandomAccess.FlushToDisk(handle);", slice =>
            {
                using SafeFileHandle handle = File.OpenHandle(path, FileMode.Create, FileAccess.Write);
                for (long offset = 0; !slice.IsOver; offset += RecordBytes)
                {
                    RandomAccess.Write(handle, record, offset);
                    RandomAccess.FlushToDisk(handle);
                    slice.Count(0);
                }
            }),
            new("append-all", "SluiceHandle, appended", "handle.Append(record); handle.FlushToDisk();",
                slice => Append(slice, static handle => handle.FlushToDisk())),
            new("append", "SluiceHandle, appended, data only", "handle.Append(record); handle.FlushDataToDisk();",
                slice => Append(slice, static handle => handle.FlushDataToDisk())),
            new("fixed", "SluiceHandle, in a file of fixed length, data only",
                "handle.Write(record, offset); handle.FlushDataToDisk();  // the file written to its full length once", slice =>
                {
                    using SluiceHandle handle = SluiceHandle.Open(fixedPath, FileMode.Open, FileAccess.ReadWrite);
                    for (long offset = 0; !slice.IsOver; offset = (offset + RecordBytes) % (ReservedBytes - RecordBytes))
                    {
                        handle.Write(record, offset);
                        handle.FlushDataToDisk();
                        slice.Count(0);
                    }
                })
            {
                Prepare = () => Reserve(fixedPath),
            },
        ];

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

    // Writes to blocks that were never written would also need the file system's journal.
    private static void Reserve(string path)
    {
        if (File.Exists(path))
            return;
        using FileStream file = File.Create(path);
        file.Write(new byte[ReservedBytes]);
        file.Flush(flushToDisk: true);
    }
}
