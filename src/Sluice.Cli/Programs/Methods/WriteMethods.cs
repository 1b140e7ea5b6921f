using System.IO.MemoryMappedFiles;
using System.IO.Pipelines;
using System.Text;
using Sluice.Classic;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;
using static Sluice.Cli.Programs.Methods.MethodFiles;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The methods that write a file.</summary>
internal sealed class WriteMethods(MethodFiles files)
{
    private const string OpenFile = "Writing an open file, without open and close";
    private const int SmallPiece = 4096;

    private string Path => files.WritePath;

    private TextSample Sample => files.Sample;

    private byte[] Content => files.Sample.Content;

    public IReadOnlyList<TimedRow> Rows =>
    [
        .. Writing(
            "bytes", IoSide.Bcl,
            ("File.WriteAllBytes", () => File.WriteAllBytes(Path, Content)),
            ("FileStream1.Write", () => Write(Create(), Content.Length)),
            ("FileStream2.Write 4,096", () => Write(Create(), SmallPiece)),
            ("FileStream3.Write 65,536", () => Write(Create(), BlockSize)),
            ("File.WriteAllBytesAsync", () => File.WriteAllBytesAsync(Path, Content).GetAwaiter().GetResult()),
            ("RandomAccess.Write", WriteAtOffset),
            ("FileStream.WriteAsync 65,536", () => WriteAsync().GetAwaiter().GetResult()),
            ("MemoryMappedFile", WriteMapped),
            ("PipeWriter 65,536", () => WritePipeAsync(PipeWriter.Create(
                new FileStream(Path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0, useAsync: true)))
                .GetAwaiter().GetResult())),
        .. Writing(
            "bytes", IoSide.Sluice,
            ("WFIO1.Write", () => WriteByWinFileIO(file => file.Write(Content.Length))),
            ("WFIO2.WriteBlocks", () => WriteByWinFileIO(file => file.WriteBlocks(Content.Length))),
            ("SluiceFile.WriteAllBytes", () => SluiceFile.WriteAllBytes(Path, Content)),
            ("SluiceStream.Write", () => Write(CreateSluice(), Content.Length)),
            ("SluiceStream.Write 4,096", () => Write(CreateSluice(), SmallPiece)),
            ("SluiceStream.Write 65,536", () => Write(CreateSluice(), BlockSize)),
            ("SluiceHandle.Write", WriteHandle),
            ("SluiceWriter.Write 65,536", () => WriteBlocks(FileCaching.Cached)),
            ("SluiceWriter.Write 65,536 direct", () => WriteBlocks(FileCaching.Direct)),
            ("PipeWriter over SluiceStream 65,536", () => WritePipeAsync(PipeWriter.Create(CreateSluice())).GetAwaiter().GetResult())),
        .. Writing(
            "characters", IoSide.Bcl,
            ("File.WriteAllText", () => File.WriteAllText(Path, Sample.Text)),
            ("BinaryWriter.Write", () => Using(Binary(), writer => Write(writer))),
            ("StreamWriter1.Write", () => Using(Text(), writer => Write(writer)))),
        .. Writing("characters", IoSide.Sluice, ("SluiceFile.WriteAllText", () => SluiceFile.WriteAllText(Path, Sample.Text))),
        .. Writing("lines", IoSide.Bcl, ("File.WriteAllLines", () => File.WriteAllLines(Path, Sample.Lines))),
        .. Writing(
            "lines", IoSide.Sluice,
            ("SluiceFile.WriteAllLines", () => SluiceFile.WriteAllLines(Path, Sample.Lines)),
            ("SluiceWriter lines, encoded in place", WriteLines)),
        OnOpenFile("BinaryWriter.Write, no open/close", IoSide.Bcl, Binary, Write),
        OnOpenFile("StreamWriter1.Write, no open/close", IoSide.Bcl, Text, Write),
        OnOpenFile("FileStream1.Write, no open/close", IoSide.Bcl, Create, file => WritePieces(file, Content.Length)),
        OnOpenFile("WFIO.Write, no open/close", IoSide.Sluice, () =>
        {
            var file = new WinFileIO(Content);
            file.OpenForWriting(Path);
            return file;
        }, file => Checked(() => file.Write(Content.Length))),
    ];

    private IEnumerable<TimedRow> Writing(string kind, IoSide side, params IEnumerable<(string Name, Action Run)> ways) =>
        ways.Select(w => files.Row($"Writing {kind}", w.Name, side, () =>
        {
            w.Run();
            return null;
        }, CheckFile) with
        {
            NewFile = Path,
        });

    private TimedRow OnOpenFile<T>(string name, IoSide side, Func<T> open, Func<T, object?> run)
        where T : class, IDisposable => files.RowOnOpenFile(OpenFile, name, side, open, run, CheckFile) with { NewFile = Path };

    private string? CheckFile(object? result) => Sample.Difference(File.ReadAllBytes(Path));

    private FileStream Create() =>
        new(Path, FileMode.Create, FileAccess.Write, FileShare.None, BlockSize, FileOptions.SequentialScan);

    private SluiceStream CreateSluice() => new(Path, FileMode.Create, FileAccess.Write);

    private BinaryWriter Binary() => new(new FileStream(Path, FileMode.Create, FileAccess.Write));

    private StreamWriter Text() => new(Path, append: false, Encoding.ASCII, BlockSize);

    private object? Write(BinaryWriter writer)
    {
        writer.Write(Sample.Chars);
        writer.Flush();
        return null;
    }

    private object? Write(StreamWriter writer)
    {
        writer.Write(Sample.Chars);
        writer.Flush();
        return null;
    }

    private void Write(Stream file, int pieceBytes)
    {
        using (file)
            WritePieces(file, pieceBytes);
    }

    private object? WritePieces(Stream file, int pieceBytes)
    {
        byte[] content = Content;
        for (int at = 0; at < content.Length; at += pieceBytes)
            file.Write(content, at, Math.Min(pieceBytes, content.Length - at));
        file.Flush();
        return null;
    }

    private void WriteAtOffset()
    {
        using var file = File.OpenHandle(Path, FileMode.Create, FileAccess.Write);
        RandomAccess.Write(file, Content, 0);
    }

    private async Task WriteAsync()
    {
        byte[] content = Content;
        await using var file = new FileStream(Path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0, useAsync: true);
        for (int at = 0; at < content.Length; at += BlockSize)
            await file.WriteAsync(content.AsMemory(at, Math.Min(BlockSize, content.Length - at)));
    }

    private void WriteMapped()
    {
        // The space is preallocated, because a full disk would raise a signal during the copy that ends the process.
        using var stream = new FileStream(
            Path, new FileStreamOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.ReadWrite,
                PreallocationSize = Content.Length,
            });
        using MemoryMappedFile file = MemoryMappedFile.CreateFromFile(
            stream, mapName: null, Content.Length, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor(0, Content.Length, MemoryMappedFileAccess.Write);
        view.WriteArray(0, Content, 0, Content.Length);
    }

    private async Task WritePipeAsync(PipeWriter pipe)
    {
        byte[] content = Content;
        for (int at = 0; at < content.Length; at += BlockSize)
            await pipe.WriteAsync(content.AsMemory(at, Math.Min(BlockSize, content.Length - at)));
        await pipe.CompleteAsync();
    }

    private void WriteByWinFileIO(Func<WinFileIO, int> write)
    {
        using var file = new WinFileIO(Content);
        Checked(() =>
        {
            file.OpenForWriting(Path);
            return write(file);
        });
        if (!file.Close())
            throw new IOException($"closing {Path} failed");
    }

    private void WriteHandle()
    {
        using SluiceHandle file = SluiceHandle.Open(Path, FileMode.Create, FileAccess.Write);
        file.Write(Content, 0);
    }

    private void WriteBlocks(FileCaching caching)
    {
        using var writer = new SluiceWriter(Path, new SluiceWriterOptions { Caching = caching });
        byte[] content = Content;
        for (int at = 0; at < content.Length; at += BlockSize)
            writer.Write(content.AsSpan(at, Math.Min(BlockSize, content.Length - at)));
    }

    private void WriteLines()
    {
        using var writer = new SluiceWriter(Path);
        foreach (string line in Sample.Lines)
        {
            Span<byte> room = writer.GetSpan(Encoding.UTF8.GetMaxByteCount(line.Length) + Environment.NewLine.Length);
            int bytes = Encoding.UTF8.GetBytes(line, room);
            bytes += Encoding.UTF8.GetBytes(Environment.NewLine, room[bytes..]);
            writer.Advance(bytes);
        }
    }
}
