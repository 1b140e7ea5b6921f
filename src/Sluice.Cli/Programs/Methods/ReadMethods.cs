using System.IO.MemoryMappedFiles;
using System.IO.Pipelines;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Classic;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;
using static Sluice.Cli.Programs.Methods.MethodFiles;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The methods that read a file.</summary>
internal sealed class ReadMethods(MethodFiles files)
{
    private const string OpenFile = "Reading an open file, without open and close";

    private readonly byte[] _bytes = new byte[files.Sample.SizeBytes];

    // One element for each byte of the file.
    private readonly char[] _chars = new char[files.Sample.SizeBytes];

    /// <summary>The way in which the end of a BeginRead is awaited.</summary>
    private sealed record Wait(Action<IAsyncResult> For, AsyncCallback? Callback = null);

    private static readonly Wait ByWaitHandle = new(static read => read.AsyncWaitHandle.WaitOne());

    private static readonly Wait ByEndRead = new(static _ => { });

    private string Path => files.ReadPath;

    public IReadOnlyList<TimedRow> Rows =>
    [
        .. IntoBytes(
            IoSide.Bcl,
            ("File.ReadAllBytes", () => File.ReadAllBytes(Path)),
            ("FileStream1.Read", () => ReadFile(FileOptions.SequentialScan)),
            ("FileStream3.Read(RandomAccess)", () => ReadFile(FileOptions.RandomAccess)),
            ("FileStream4.BeginRead", () => ReadBegun(ByWaitHandle)),
            ("FileStream7.BeginRead, no lock", () => ReadBegun(ByEndRead)),
            ("File.ReadAllBytesAsync", () => File.ReadAllBytesAsync(Path).GetAwaiter().GetResult()),
            ("RandomAccess.Read", () => Using(File.OpenHandle(Path), file => ReadAtOffsets(file))),
            ("FileStream.ReadAsync", () => ReadAsync().GetAwaiter().GetResult()),
            ("MemoryMappedFile", () => ReadMapped())),
        .. IntoBytes(
            IoSide.Sluice,
            ("WFIO1.Read", () => ReadByWinFileIO(file => file.Read(_bytes.Length))),
            ("WFIO2.ReadUntilEOF", () => ReadByWinFileIO(file => file.ReadUntilEOF())),
            ("WFIO3.ReadBlocks", () => ReadByWinFileIO(file => file.ReadBlocks(_bytes.Length))),
            ("SluiceFile.ReadAllBytes", () => SluiceFile.ReadAllBytes(Path)),
            ("SluiceStream.Read", () => Using(new SluiceStream(Path, FileMode.Open, FileAccess.Read), file => Fill(file))),
            ("SluiceHandle.Read", () => Using(SluiceHandle.Open(Path), file => file.Read(_bytes, 0))),
            ("SluiceReader.Read", () => Using(new SluiceReader(Path), reader => reader.Read(_bytes))),
            ("SluiceReader.TryReadBlock, copied", () => ReadBlocks(FileCaching.Cached)),
            ("SluiceReader.TryReadBlock direct, copied", () => ReadBlocks(FileCaching.Direct))),
        .. IntoText(
            IoSide.Bcl,
            ("File.ReadAllText", () => File.ReadAllText(Path)),
            ("BinaryReader.Read", () => Using(Binary(), reader => Fill(reader.Read))),
            ("StreamReader1.Read", () => Using(new StreamReader(Path), reader => Fill(reader.Read))),
            ("StreamReader2.Read(large buf)", () => Using(Large(), reader => Fill(reader.Read))),
            ("StreamReader3.ReadBlock", () => Using(Large(), reader => reader.ReadBlock(_chars, 0, _chars.Length))),
            ("StreamReader4.ReadToEnd", () => Using(Large(), reader => ReadToEnd(reader))),
            ("StreamReader5.Read multiple", () => Using(Large(), reader => ReadUntilPeek(reader)))),
        .. IntoText(
            IoSide.Sluice,
            ("SluiceFile.ReadAllText", () => SluiceFile.ReadAllText(Path)),
            ("StreamReader over SluiceStream", () => Using(SluiceFile.OpenText(Path), reader => Fill(reader.Read)))),
        .. IntoLines(
            IoSide.Bcl,
            ("File.ReadAllLines", () => File.ReadAllLines(Path)),
            ("StreamReader6.ReadLine", () => Using(Large(), reader => ReadLines(reader))),
            ("StreamReader7.Read parsing", () => ParseText()),
            ("FileStream2.Read parsing", () => Parse(p => p.Feed(_bytes.AsSpan(0, (int)ReadFile(FileOptions.SequentialScan)!)))),
            ("FileStream2A.Read parsing blocks", () => Parse(p => Using(Open(FileOptions.SequentialScan), f => FeedBlocks(f, p)))),
            ("FileStream5.BeginRead parsing", () => ParseBegun(ByWaitHandle)),
            ("FileStream6.BeginRead parsing, monitor", () => ParseBegun(ByMonitor())),
            ("FileStream8.BeginRead parsing, no lock", () => ParseBegun(ByEndRead)),
            ("File.ReadLines", () => Sum(File.ReadLines(Path))),
            ("PipeReader lines", () => ReadPipeAsync(PipeReader.Create(
                new FileStream(Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, useAsync: true),
                new StreamPipeReaderOptions(bufferSize: BlockSize))).GetAwaiter().GetResult())),
        .. IntoLines(
            IoSide.Sluice,
            ("SluiceFile.ReadAllLines", () => SluiceFile.ReadAllLines(Path)),
            ("SluiceFile.ReadLines", () => Sum(SluiceFile.ReadLines(Path))),
            ("SluiceReader.EnumerateLines", () => Using(new SluiceReader(Path), reader => EnumerateLines(reader))),
            ("SluiceReader.ReadStringLines", () => Using(new SluiceReader(Path), reader => Sum(reader.ReadStringLines()))),
            ("PipeReader over SluiceStream lines",
                () => ReadPipeAsync(PipeReader.Create(SluiceFile.OpenRead(Path))).GetAwaiter().GetResult())),
        files.RowOnOpenFile(
            OpenFile, "BinaryReader.Read, no open/close", IoSide.Bcl, Binary, reader => Fill(reader.Read), CheckText),
        files.RowOnOpenFile(
            OpenFile, "StreamReader2.Read(large buf), no open/close", IoSide.Bcl, Large, reader => Fill(reader.Read), CheckText),
        files.RowOnOpenFile(
            OpenFile, "FileStream1.Read, no open/close", IoSide.Bcl, () => Open(FileOptions.SequentialScan), file => Fill(file),
            CheckBytes),
        files.RowOnOpenFile(
            OpenFile, "WFIO.Read, no open/close", IoSide.Sluice,
            () =>
            {
                var file = new WinFileIO(_bytes);
                file.OpenForReading(Path);
                return file;
            },
            file => Checked(() => file.Read(_bytes.Length)), CheckBytes),
    ];

    private IEnumerable<TimedRow> IntoBytes(IoSide side, params IEnumerable<(string Name, Func<object?> Run)> ways) =>
        ways.Select(w => files.Row("Reading into bytes", w.Name, side, w.Run, CheckBytes));

    private IEnumerable<TimedRow> IntoText(IoSide side, params IEnumerable<(string Name, Func<object?> Run)> ways) =>
        ways.Select(w => files.Row("Reading into characters", w.Name, side, w.Run, CheckText));

    private IEnumerable<TimedRow> IntoLines(IoSide side, params IEnumerable<(string Name, Func<object?> Run)> ways) =>
        ways.Select(w => files.Row("Reading into lines", w.Name, side, w.Run, CheckLines));

    // A number is that of the bytes in the array. The array is cleared so that no later method can return its content.
    private string? CheckBytes(object? result)
    {
        string? difference = files.Sample.Difference(result is int count ? _bytes.AsSpan(0, count) : result as byte[]);
        Array.Clear(_bytes);
        return difference;
    }

    private string? CheckText(object? result)
    {
        string? difference = files.Sample.Difference(result is int count ? _chars.AsSpan(0, count) : (result as string).AsSpan());
        Array.Clear(_chars);
        return difference;
    }

    private string? CheckLines(object? result)
    {
        Array.Clear(_bytes);
        return (result as Checksum ?? TextSample.SumOf((IEnumerable<string>)result!)).Difference(files.Sample.LineSum);
    }

    private FileStream Open(FileOptions options) =>
        new(Path, FileMode.Open, FileAccess.Read, FileShare.Read, BlockSize, options);

    private BinaryReader Binary() => new(new FileStream(Path, FileMode.Open, FileAccess.Read));

    /// <summary>Returns a reader with a buffer of 64 KiB, as in the article "Efficient File I/O From C#".</summary>
    private StreamReader Large() =>
        new(Path, Encoding.UTF8, detectEncodingFromByteOrderMarks: true, BlockSize);

    private object? ReadFile(FileOptions options) => Using(Open(options), file => Fill(file));

    private int Fill(Stream file) =>
        file.ReadAtLeast(_bytes, _bytes.Length, throwOnEndOfStream: false);

    /// <summary>
    /// Calls <paramref name="read"/> until the array is full or the file ends, because a call may return less than requested.
    /// </summary>
    private int Fill(Func<char[], int, int, int> read)
    {
        int total = 0;
        for (int got; total < _chars.Length && (got = read(_chars, total, _chars.Length - total)) > 0;)
            total += got;
        return total;
    }

    private int ReadAtOffsets(SafeFileHandle file)
    {
        int total = 0;
        for (int got; (got = RandomAccess.Read(file, _bytes.AsSpan(total), total)) > 0;)
            total += got;
        return total;
    }

    private async Task<int> ReadAsync()
    {
        await using var file = new FileStream(
            Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0,
            FileOptions.Asynchronous | FileOptions.SequentialScan);
        return await file.ReadAtLeastAsync(_bytes, _bytes.Length, throwOnEndOfStream: false);
    }

    private int ReadMapped()
    {
        using MemoryMappedFile file =
            MemoryMappedFile.CreateFromFile(Path, FileMode.Open, mapName: null, 0, MemoryMappedFileAccess.Read);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read);
        return view.ReadArray(0, _bytes, 0, _bytes.Length);
    }

    private int ReadBlocks(FileCaching caching)
    {
        using var reader = new SluiceReader(Path, new SluiceReaderOptions { Caching = caching });
        int total = 0;
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
        {
            block.CopyTo(_bytes.AsSpan(total));
            total += block.Length;
        }
        return total;
    }

    private object? ReadByWinFileIO(Func<WinFileIO, int> read) => Using(new WinFileIO(_bytes), file =>
    {
        object? got = Checked(() =>
        {
            file.OpenForReading(Path);
            return read(file);
        });
        return file.Close() ? got : throw new IOException($"closing {Path} failed");
    });

    private static string ReadToEnd(StreamReader reader)
    {
        string text = "";
        while (reader.Peek() >= 0)
            text += reader.ReadToEnd();
        return text;
    }

    private int ReadUntilPeek(StreamReader reader)
    {
        int total = 0;
        while (reader.Peek() >= 0)
            total += reader.Read(_chars, total, Math.Min(BlockSize, _chars.Length - total));
        return total;
    }

    private Checksum Sum(IEnumerable<string> lines)
    {
        Checksum sum = files.NewSum();
        foreach (string line in lines)
            sum.AddLine(line);
        return sum;
    }

    private Checksum ReadLines(StreamReader reader)
    {
        Checksum sum = files.NewSum();
        while (reader.ReadLine() is { } line)
            sum.AddLine(line);
        return sum;
    }

    private Checksum EnumerateLines(SluiceReader reader)
    {
        Checksum sum = files.NewSum();
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
            sum.AddLine(line);
        return sum;
    }

    /// <summary>Splits the data into lines and computes their checksum.</summary>
    private Checksum Parse(Action<LineParser<byte>> feed)
    {
        Checksum sum = files.NewSum();
        var parser = new LineParser<byte>((byte)'\n', (byte)'\r', sum.AddLine);
        feed(parser);
        parser.End();
        return sum;
    }

    private Checksum ParseText()
    {
        Checksum sum = files.NewSum();
        var parser = new LineParser<char>('\n', '\r', sum.AddLine);
        char[] block = new char[BlockSize];
        using StreamReader reader = Large();
        for (int got; (got = reader.Read(block, 0, block.Length)) > 0;)
            parser.Feed(block.AsSpan(0, got));
        parser.End();
        return sum;
    }

    private static object? FeedBlocks(FileStream file, LineParser<byte> parser)
    {
        byte[] block = new byte[BlockSize];
        for (int got; (got = file.Read(block, 0, block.Length)) > 0;)
            parser.Feed(block.AsSpan(0, got));
        return null;
    }

    private async Task<Checksum> ReadPipeAsync(PipeReader pipe)
    {
        Checksum sum = files.NewSum();
        var parser = new LineParser<byte>((byte)'\n', (byte)'\r', sum.AddLine);
        while (true)
        {
            ReadResult read = await pipe.ReadAsync();
            foreach (ReadOnlyMemory<byte> segment in read.Buffer)
                parser.Feed(segment.Span);
            pipe.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
                break;
        }
        parser.End();
        await pipe.CompleteAsync();
        return sum;
    }

    /// <summary>Returns a wait for a monitor that the callback signals.</summary>
    private static Wait ByMonitor()
    {
        object gate = new();
        int ended = 0;
        return new Wait(
            _ =>
            {
                lock (gate)
                {
                    while (ended == 0)
                        Monitor.Wait(gate);
                    ended--;
                }
            },
            _ =>
            {
                lock (gate)
                {
                    ended++;
                    Monitor.Pulse(gate);
                }
            });
    }

    private FileStream OpenBegun() => new(
        Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0,
            FileOptions.Asynchronous | FileOptions.SequentialScan);

    private int ReadBegun(Wait wait)
    {
        using FileStream file = OpenBegun();
        int total = 0;
        int got;
        do
        {
            int wanted = Math.Min(BlockSize, _bytes.Length - total);
            IAsyncResult read = file.BeginRead(_bytes, total, wanted, wait.Callback, state: null);
            wait.For(read);
            got = file.EndRead(read);
            total += got;
        }
        while (got > 0 && total < _bytes.Length);
        return total;
    }

    /// <summary>Parses one block while the next one is read.</summary>
    private Checksum ParseBegun(Wait wait) => Parse(parser =>
    {
        using FileStream file = OpenBegun();
        byte[] coming = new byte[BlockSize];
        byte[] come = new byte[BlockSize];
        IAsyncResult read = file.BeginRead(coming, 0, coming.Length, wait.Callback, state: null);
        while (true)
        {
            wait.For(read);
            int got = file.EndRead(read);
            if (got == 0)
                break;
            (coming, come) = (come, coming);
            read = file.BeginRead(coming, 0, coming.Length, wait.Callback, state: null);
            parser.Feed(come.AsSpan(0, got));
        }
    });
}
