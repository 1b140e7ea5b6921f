using System.IO.MemoryMappedFiles;
using System.IO.Pipelines;
using System.Text;
using Sluice.Classic;
using Sluice.Cli.Load;
using static Sluice.Cli.Programs.Methods.MethodList;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The methods that write a file.</summary>
internal static class WriteMethods
{
    private const int SmallPiece = 4096;

    public static IReadOnlyList<Method> All { get; } =
    [
        .. Writing(
            IoSide.Bcl, ResultKind.Lines, ("File.WriteAllLines", i => File.WriteAllLines(i.Path, i.Sample.Lines))),
        .. Writing(
            IoSide.Bcl, ResultKind.Text,
            ("File.WriteAllText", i => File.WriteAllText(i.Path, i.Sample.Text)),
            ("BinaryWriter.Write", i => Using(Binary(i), writer => Write(i, writer))),
            ("StreamWriter1.Write", i => Using(Text(i), writer => Write(i, writer)))),
        .. Writing(
            IoSide.Bcl, ResultKind.Bytes,
            ("File.WriteAllBytes", i => File.WriteAllBytes(i.Path, i.Sample.Content)),
            ("FileStream1.Write", i => Using(Create(i), file => Write(i, file, i.Sample.SizeBytes))),
            ("FileStream2.Write 4,096", i => Using(Create(i), file => Write(i, file, SmallPiece))),
            ("FileStream3.Write 65,536", i => Using(Create(i), file => Write(i, file, MethodInput.BlockSize))),
            ("File.WriteAllBytesAsync", i => File.WriteAllBytesAsync(i.Path, i.Sample.Content).GetAwaiter().GetResult()),
            ("RandomAccess.Write", WriteAtOffset),
            ("FileStream.WriteAsync 65,536", i => WriteAsync(i).GetAwaiter().GetResult()),
            ("MemoryMappedFile", WriteMapped),
            ("PipeWriter 65,536", i => WritePipeAsync(i, PipeWriter.Create(
                new FileStream(i.Path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0, useAsync: true)))
                .GetAwaiter().GetResult())),
        .. Writing(
            IoSide.Sluice, ResultKind.Bytes,
            ("WFIO1.Write", i => WriteByWinFileIO(i, file => file.Write(i.Sample.SizeBytes))),
            ("WFIO2.WriteBlocks", i => WriteByWinFileIO(i, file => file.WriteBlocks(i.Sample.SizeBytes))),
            ("SluiceFile.WriteAllBytes", i => SluiceFile.WriteAllBytes(i.Path, i.Sample.Content)),
            ("SluiceStream.Write", i => Using(CreateSluice(i), file => Write(i, file, i.Sample.SizeBytes))),
            ("SluiceStream.Write 4,096", i => Using(CreateSluice(i), file => Write(i, file, SmallPiece))),
            ("SluiceStream.Write 65,536", i => Using(CreateSluice(i), file => Write(i, file, MethodInput.BlockSize))),
            ("SluiceHandle.Write", WriteHandle),
            ("SluiceWriter.Write 65,536", i => WriteBlocks(i, FileCaching.Cached)),
            ("SluiceWriter.Write 65,536 direct", i => WriteBlocks(i, FileCaching.Direct)),
            ("PipeWriter over SluiceStream 65,536",
                i => WritePipeAsync(i, PipeWriter.Create(CreateSluice(i))).GetAwaiter().GetResult())),
        .. Writing(
            IoSide.Sluice, ResultKind.Text, ("SluiceFile.WriteAllText", i => SluiceFile.WriteAllText(i.Path, i.Sample.Text))),
        .. Writing(
            IoSide.Sluice, ResultKind.Lines,
            ("SluiceFile.WriteAllLines", i => SluiceFile.WriteAllLines(i.Path, i.Sample.Lines)),
            ("SluiceWriter lines, encoded in place", WriteLines)),
        WithoutOpen("BinaryWriter.Write, no open/close", IoSide.Bcl, ResultKind.Text, Binary, Write, writes: true),
        WithoutOpen("StreamWriter1.Write, no open/close", IoSide.Bcl, ResultKind.Text, Text, Write, writes: true),
        WithoutOpen("FileStream1.Write, no open/close", IoSide.Bcl, ResultKind.Bytes, Create,
            (i, file) => Write(i, file, i.Sample.SizeBytes), writes: true),
        WithoutOpen("WFIO.Write, no open/close", IoSide.Sluice, ResultKind.Bytes, i =>
        {
            var file = new WinFileIO(i.Sample.Content);
            file.OpenForWriting(i.Path);
            return file;
        }, (i, file) => Checked(() => file.Write(i.Sample.SizeBytes)), writes: true),
    ];

    private static FileStream Create(MethodInput input) =>
        new(input.Path, FileMode.Create, FileAccess.Write, FileShare.None, MethodInput.BlockSize, FileOptions.SequentialScan);

    private static SluiceStream CreateSluice(MethodInput input) => new(input.Path, FileMode.Create, FileAccess.Write);

    private static BinaryWriter Binary(MethodInput input) => new(new FileStream(input.Path, FileMode.Create, FileAccess.Write));

    private static StreamWriter Text(MethodInput input) => new(input.Path, append: false, Encoding.ASCII, MethodInput.BlockSize);

    private static object? Write(MethodInput input, BinaryWriter writer)
    {
        writer.Write(input.Sample.Chars);
        writer.Flush();
        return null;
    }

    private static object? Write(MethodInput input, StreamWriter writer)
    {
        writer.Write(input.Sample.Chars);
        writer.Flush();
        return null;
    }

    private static object? Write(MethodInput input, Stream file, int pieceBytes)
    {
        byte[] content = input.Sample.Content;
        for (int at = 0; at < content.Length; at += pieceBytes)
            file.Write(content, at, Math.Min(pieceBytes, content.Length - at));
        file.Flush();
        return null;
    }

    private static void WriteAtOffset(MethodInput input)
    {
        using var file = File.OpenHandle(input.Path, FileMode.Create, FileAccess.Write);
        RandomAccess.Write(file, input.Sample.Content, 0);
    }

    private static async Task WriteAsync(MethodInput input)
    {
        byte[] content = input.Sample.Content;
        await using var file = new FileStream(input.Path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0, useAsync: true);
        for (int at = 0; at < content.Length; at += MethodInput.BlockSize)
            await file.WriteAsync(content.AsMemory(at, Math.Min(MethodInput.BlockSize, content.Length - at)));
    }

    private static void WriteMapped(MethodInput input)
    {
        // The space is preallocated, because a full disk would raise a signal during the copy that ends the process.
        using var stream = new FileStream(
            input.Path, new FileStreamOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.ReadWrite,
                PreallocationSize = input.Sample.SizeBytes,
            });
        using MemoryMappedFile file = MemoryMappedFile.CreateFromFile(
            stream, mapName: null, input.Sample.SizeBytes, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor(0, input.Sample.SizeBytes, MemoryMappedFileAccess.Write);
        view.WriteArray(0, input.Sample.Content, 0, input.Sample.SizeBytes);
    }

    private static async Task WritePipeAsync(MethodInput input, PipeWriter pipe)
    {
        byte[] content = input.Sample.Content;
        for (int at = 0; at < content.Length; at += MethodInput.BlockSize)
            await pipe.WriteAsync(content.AsMemory(at, Math.Min(MethodInput.BlockSize, content.Length - at)));
        await pipe.CompleteAsync();
    }

    private static void WriteByWinFileIO(MethodInput input, Func<WinFileIO, int> write)
    {
        using var file = new WinFileIO(input.Sample.Content);
        Checked(() =>
        {
            file.OpenForWriting(input.Path);
            return write(file);
        });
        if (!file.Close())
            throw new IOException($"closing {input.Path} failed");
    }

    private static void WriteHandle(MethodInput input)
    {
        using SluiceHandle file = SluiceHandle.Open(input.Path, FileMode.Create, FileAccess.Write);
        file.Write(input.Sample.Content, 0);
    }

    private static void WriteBlocks(MethodInput input, FileCaching caching)
    {
        using var writer = new SluiceWriter(input.Path, new SluiceWriterOptions { Caching = caching });
        byte[] content = input.Sample.Content;
        for (int at = 0; at < content.Length; at += MethodInput.BlockSize)
            writer.Write(content.AsSpan(at, Math.Min(MethodInput.BlockSize, content.Length - at)));
    }

    private static void WriteLines(MethodInput input)
    {
        using var writer = new SluiceWriter(input.Path);
        foreach (string line in input.Sample.Lines)
        {
            Span<byte> room = writer.GetSpan(Encoding.UTF8.GetMaxByteCount(line.Length) + Environment.NewLine.Length);
            int bytes = Encoding.UTF8.GetBytes(line, room);
            bytes += Encoding.UTF8.GetBytes(Environment.NewLine, room[bytes..]);
            writer.Advance(bytes);
        }
    }
}
