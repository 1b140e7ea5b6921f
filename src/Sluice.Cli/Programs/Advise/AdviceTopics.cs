using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Files;
using Sluice.Cli.Bench.Sequential;
using Sluice.Cli.Bench.Streams;
using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Advise;

/// <summary>The nine tasks, with their approaches and a line of C# for each approach.</summary>
internal static class AdviceTopics
{
    private const int KiB = 1024;
    private const int MiB = 1024 * KiB;
    private const int PageBytes = 4 * KiB;
    private const int Many = 32;
    private const int Batch = 128;
    private const int RecordBytes = 200;
    private const long ReservedBytes = 16 * MiB;
    private const string OpenDirect = "using SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct);";

    public static IReadOnlyList<AdviceTopic> All { get; } =
    [
        new("A large file, read once", "read a large file once, in order", AdviceTopic.BytesUnit, SequentialReading),
        new("A large new file", "write a large file, on the disk at the end", AdviceTopic.BytesUnit, SequentialWriting) { Writes = true },
        new("Many small reads of a file that is not in memory", "read 4 KiB here and there in a large file", "reads/s", ColdReading),
        new("Small reads of a file that is in memory", "read 4 KiB here and there in a file that is cached", "reads/s", HotReading),
        new("Lines of text", "read a text line by line", AdviceTopic.BytesUnit, TextReading),
        new("Many small files, read", "read many files of 4 KiB", "files/s", SmallFilesReading),
        new("Many small files, written", "write many files of 4 KiB", "files/s", SmallFilesWriting) { Writes = true },
        new("A copy", "copy a large file", AdviceTopic.BytesUnit, Copying) { Writes = true },
        new("Records that must be on the disk", "write a record, and know that it is on the disk", "records/s", DurableWriting)
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
            Approach.Of(".NET FileStream", "using FileStream stream = File.OpenRead(path); while (stream.Read(buffer) > 0)",
                StreamPasses.Timed<FileStreamSide>(opening, 64 * KiB)),
            Approach.Of(".NET FileStream, 1 MiB requests",
                "using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0); "
                    + "while (stream.Read(buffer) > 0)",
                StreamPasses.Timed<FileStreamSide>(
                    StreamOpening.Reading(path, context.Scale.DirectFileBytes, bufferSizeBytes: 0), MiB)),
            Approach.Of("SluiceStream",
                "using SluiceStream stream = new(path, FileMode.Open, FileAccess.Read); while (stream.Read(buffer) > 0)",
                StreamPasses.Timed<SluiceStreamSide>(opening, 64 * KiB)),
            Cold("SluiceReader",
                "using SluiceReader reader = new(path); while (reader.TryReadBlock(out ReadOnlySpan<byte> block))", FileCaching.Cached),
            Cold("SluiceReader, uncached",
                "using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Uncached });", FileCaching.Uncached),
            Cold("SluiceReader, direct",
                "using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Direct });", FileCaching.Direct),
        ];

        Approach Cold(string name, string code, FileCaching caching) => new(name, code, slice =>
        {
            using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = caching });
            while (!slice.IsOver && reader.TryReadBlock(out ReadOnlySpan<byte> block))
                slice.Count(0, block.Length);
        })
        {
            Prepare = () => BenchContext.DropCache(path),
        };
    }

    private static IReadOnlyList<Approach> SequentialWriting(BenchContext context)
    {
        long sizeBytes = context.Scale.StreamFileBytes;
        string path = context.ScratchFile("advise-written.dat");
        Memory<byte> buffer = PinnedBuffer.AllocateRandom(64 * KiB, seed: 1);
        StreamOpening opening = StreamOpening.Writing(path, sizeBytes);
        return
        [
            Approach.Of(".NET FileStream", "using FileStream stream = File.Create(path); stream.Write(buffer); stream.Flush(flushToDisk: true);",
                StreamPasses.Timed<FileStreamSide>(opening, 64 * KiB)),
            Approach.Of(".NET FileStream, preallocated, 1 MiB requests",
                "using FileStream stream = new(path, new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize "
                    + "= 0, PreallocationSize = size });",
                StreamPasses.Timed<FileStreamSide>(
                    new StreamOpening(path, FileMode.Create, FileAccess.Write, sizeBytes)
                    {
                        BufferSizeBytes = 0,
                        PreallocationSizeBytes = sizeBytes,
                    }, MiB)),
            Approach.Of("SluiceStream",
                "using SluiceStream stream = new(path, FileMode.Create, FileAccess.Write); stream.Write(buffer); "
                    + "stream.Flush(flushToDisk: true);",
                StreamPasses.Timed<SluiceStreamSide>(opening, 64 * KiB)),
            Write("SluiceWriter, preallocated",
                "using SluiceWriter writer = new(path, new SluiceWriterOptions { PreallocationSize = size, FlushToDisk = true });",
                new SluiceWriterOptions { PreallocationSize = sizeBytes, FlushToDisk = true }),
            Write("SluiceWriter, direct, preallocated",
                "using SluiceWriter writer = new(path, new SluiceWriterOptions { Caching = FileCaching.Direct, PreallocationSize = size, "
                    + "FlushToDisk = true });",
                new SluiceWriterOptions { Caching = FileCaching.Direct, PreallocationSize = sizeBytes, FlushToDisk = true }),
        ];

        Approach Write(string name, string code, SluiceWriterOptions options) => new(name, code, slice =>
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

    private static IReadOnlyList<Approach> ColdReading(BenchContext context)
    {
        string path = context.DirectFile;
        long bytes = context.Scale.DirectFileBytes;
        return
        [
            Read(".NET, one after the other", "RandomAccess.Read(handle, buffer, offset);", IoSide.Bcl, FileCaching.Cached, 0),
            Read($".NET, {Many} outstanding", "await RandomAccess.ReadAsync(handle, buffer, offset);", IoSide.Bcl,
                FileCaching.Cached, Many),
            Read($"SluiceHandle, {Many} outstanding", "await handle.ReadAsync(buffer, offset);", IoSide.Sluice,
                FileCaching.Cached, Many),
            Read("SluiceHandle, direct, one after the other", $"{OpenDirect} handle.Read(buffer, offset);",
                IoSide.Sluice, FileCaching.Direct, 0),
            Read($"SluiceHandle, direct, {Many} outstanding", $"{OpenDirect} await handle.ReadAsync(buffer, offset);",
                IoSide.Sluice, FileCaching.Direct, Many),
            new($"SluiceHandle, direct, batches of {Batch}", $"{OpenDirect} handle.ReadBatch(requests);", ReadBatches),
        ];

        Approach Read(string name, string code, IoSide side, FileCaching caching, int depth) =>
            RandomReading(name, code, side, path, bytes, depth, caching) with { Prepare = () => BenchContext.DropCache(path) };

        void ReadBatches(Slice slice)
        {
            using SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct);
            Memory<byte> memory = PinnedBuffer.Allocate(Batch * PageBytes);
            var requests = new ReadRequest[Batch];
            while (!slice.IsOver)
            {
                for (int i = 0; i < requests.Length; i++)
                    requests[i] = new ReadRequest(Loops.RandomOffset(bytes, PageBytes), memory.Slice(i * PageBytes, PageBytes));
                handle.ReadBatch(requests);
                slice.Count(0, requests.Length);
            }
        }
    }

    private static IReadOnlyList<Approach> HotReading(BenchContext context)
    {
        string path = context.HotFile;
        long bytes = context.Scale.HotFileBytes;
        return
        [
            RandomReading(".NET", "RandomAccess.Read(handle, buffer, offset);", IoSide.Bcl, path, bytes, depth: 0),
            RandomReading(".NET, asynchronous", "await RandomAccess.ReadAsync(handle, buffer, offset);", IoSide.Bcl, path,
                bytes, depth: 1),
            RandomReading("SluiceHandle", "handle.Read(buffer, offset);", IoSide.Sluice, path, bytes, depth: 0),
            RandomReading("SluiceHandle, asynchronous", "await handle.ReadAsync(buffer, offset);", IoSide.Sluice, path,
                bytes, depth: 1),
        ];
    }

    /// <param name="depth">The number of outstanding requests; 0 for synchronous calls, one after another.</param>
    private static Approach RandomReading(
        string name, string code, IoSide side, string path, long fileSizeBytes, int depth,
        FileCaching caching = FileCaching.Cached) => new(name, code, async slice =>
        {
            using var target = new IoTarget(side,
                new TargetOptions(path, FileMode.Open, FileAccess.Read) { Asynchronous = depth > 0, Caching = caching });
            await Loops.AtRandom(target, Math.Max(1, depth), PageBytes, fileSizeBytes)(slice);
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
            Pass(".NET File.ReadLines", "foreach (string line in File.ReadLines(path))",
                () => new(SequentialRows.Consume(File.ReadLines(path)))),
            Pass(".NET StreamReader.ReadLineAsync", "while (await reader.ReadLineAsync() is { } line)",
                () => SequentialRows.ReadStringsAsync(path)),
            Pass("Sluice, lines as strings", "using SluiceReader reader = new(path); foreach (string line in reader.ReadStringLines())",
                () => new(SequentialRows.ReadStringLines(path))),
            Pass("Sluice, lines as bytes", "using SluiceReader reader = new(path); foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())",
                () => new(SequentialRows.ReadLines(path))),
            Pass("Sluice, lines as bytes, asynchronous",
                "using SluiceReader reader = new(path); await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())",
                () => SequentialRows.ReadLinesAsync(path)),
        ];

        Approach Pass(string name, string code, Func<ValueTask<long>> readAsync) => new(name, code, async slice =>
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
            Pass(".NET File.ReadAllBytes", "byte[] content = File.ReadAllBytes(path);",
                () => new(SmallFileRows.ReadOneByOne(tree))),
            Pass(".NET File.ReadAllBytesAsync, in parallel",
                "await Parallel.ForEachAsync(paths, async (path, token) => await File.ReadAllBytesAsync(path, token));", async () =>
                {
                    await SmallFileRows.ReadInParallelAsync(tree, Environment.ProcessorCount);
                    return tree.Paths.Length;
                }),
            Pass("Sluice, a batch", "await foreach (FileReadResult file in SluiceFile.ReadManyAsync(paths))",
                () => SmallFileRows.ReadBatchAsync(tree)),
        ];

        static Approach Pass(string name, string code, Func<ValueTask<long>> readAsync) =>
            Approach.Of(name, code, Loops.Passes(name, readAsync, countUnits: true));
    }

    private static IReadOnlyList<Approach> SmallFilesWriting(BenchContext context)
    {
        Contest contest = SmallFileRows.OpenWrite(context, "advise-written");
        return
        [
            Approach.Of(".NET File.WriteAllBytes", "File.WriteAllBytes(path, content);", contest.DotNet),
            Approach.Of("Sluice, a batch", "await SluiceFile.WriteManyAsync(paths.Select(path => (path, content)));", contest.Sluice),
        ];
    }

    private static IReadOnlyList<Approach> Copying(BenchContext context)
    {
        string source = context.CopyFile;
        string target = context.ScratchFile("advise-copy.dat");
        long sizeBytes = context.Scale.CopyFileBytes;
        return
        [
            Copy(".NET File.Copy", "File.Copy(source, target);", () =>
            {
                File.Copy(source, target);
                return Task.CompletedTask;
            }),
            Copy(".NET FileStream.CopyToAsync", "await from.CopyToAsync(to);", async () =>
            {
                await using var from = new FileStream(source, FileMode.Open, FileAccess.Read, FileShare.Read, 4096, useAsync: true);
                await using var to = new FileStream(target, FileMode.CreateNew, FileAccess.Write, FileShare.None, 4096, useAsync: true);
                await from.CopyToAsync(to);
            }),
            Copy("Sluice CopyAsync", "await SluiceFile.CopyAsync(source, target);", () => SluiceFile.CopyAsync(source, target)),
        ];

        // Each slice copies once, because a second copy would find the pages of the first one in the cache.
        Approach Copy(string name, string code, Func<Task> copyAsync) => new(name, code, async slice =>
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
            new(".NET FileStream", "stream.Write(record); stream.Flush(flushToDisk: true);", slice =>
            {
                using FileStream stream = File.Create(path);
                while (!slice.IsOver)
                {
                    stream.Write(record);
                    stream.Flush(flushToDisk: true);
                    slice.Count(0);
                }
            }),
            new("SluiceHandle, appended", "handle.Append(record); handle.FlushToDisk();",
                slice => Append(slice, static handle => handle.FlushToDisk())),
            new("SluiceHandle, appended, data only", "handle.Append(record); handle.FlushDataToDisk();",
                slice => Append(slice, static handle => handle.FlushDataToDisk())),
            new("SluiceHandle, in a file of fixed length, data only",
                "handle.Write(record, offset); handle.FlushDataToDisk();", slice =>
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

    // Writes the blocks in advance, because the first write to a block also needs the file system's journal.
    private static void Reserve(string path)
    {
        if (File.Exists(path))
            return;
        using FileStream file = File.Create(path);
        file.Write(new byte[ReservedBytes]);
        file.Flush(flushToDisk: true);
    }
}
