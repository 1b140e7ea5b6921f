using System.IO.MemoryMappedFiles;
using System.IO.Pipelines;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Classic;
using Sluice.Cli.Load;
using static Sluice.Cli.Programs.Methods.MethodList;

namespace Sluice.Cli.Programs.Methods;

/// <summary>The methods that read a file.</summary>
internal static class ReadMethods
{
    /// <summary>The way in which the end of a BeginRead is awaited.</summary>
    private sealed record Wait(Action<IAsyncResult> For, AsyncCallback? Callback = null);

    private static readonly Wait ByWaitHandle = new(static read => read.AsyncWaitHandle.WaitOne());

    private static readonly Wait ByEndRead = new(static _ => { });

    public static IReadOnlyList<Method> All { get; } =
    [
        .. Reading(
            IoSide.Bcl, ResultKind.Lines,
            ("File.ReadAllLines", i => File.ReadAllLines(i.Path)),
            ("StreamReader6.ReadLine", i => Using(Large(i), reader => ReadLines(i, reader))),
            ("StreamReader7.Read parsing", ParseText),
            ("FileStream2.Read parsing", i => Parse(i, p => p.Feed(i.Bytes.AsSpan(0, (int)ReadFile(i, FileOptions.SequentialScan)!)))),
            ("FileStream2A.Read parsing blocks", i => Parse(i, p => Using(Open(i, FileOptions.SequentialScan), f => FeedBlocks(f, p)))),
            ("FileStream5.BeginRead parsing", i => ParseBegun(i, ByWaitHandle)),
            ("FileStream6.BeginRead parsing, monitor", i => ParseBegun(i, ByMonitor())),
            ("FileStream8.BeginRead parsing, no lock", i => ParseBegun(i, ByEndRead)),
            ("File.ReadLines", i => Sum(i, File.ReadLines(i.Path))),
            ("PipeReader lines", i => ReadPipeAsync(i, PipeReader.Create(
                new FileStream(i.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, useAsync: true),
                new StreamPipeReaderOptions(bufferSize: MethodInput.BlockSize))).GetAwaiter().GetResult())),
        .. Reading(
            IoSide.Bcl, ResultKind.Text,
            ("File.ReadAllText", i => File.ReadAllText(i.Path)),
            ("BinaryReader.Read", i => Using(Binary(i), reader => Fill(i, reader.Read))),
            ("StreamReader1.Read", i => Using(new StreamReader(i.Path), reader => Fill(i, reader.Read))),
            ("StreamReader2.Read(large buf)", i => Using(Large(i), reader => Fill(i, reader.Read))),
            ("StreamReader3.ReadBlock", i => Using(Large(i), reader => reader.ReadBlock(i.Chars, 0, i.Chars.Length))),
            ("StreamReader4.ReadToEnd", i => Using(Large(i), reader => ReadToEnd(reader))),
            ("StreamReader5.Read multiple", i => Using(Large(i), reader => ReadUntilPeek(i, reader)))),
        .. Reading(
            IoSide.Bcl, ResultKind.Bytes,
            ("File.ReadAllBytes", i => File.ReadAllBytes(i.Path)),
            ("FileStream1.Read", i => ReadFile(i, FileOptions.SequentialScan)),
            ("FileStream3.Read(RandomAccess)", i => ReadFile(i, FileOptions.RandomAccess)),
            ("FileStream4.BeginRead", i => ReadBegun(i, ByWaitHandle)),
            ("FileStream7.BeginRead, no lock", i => ReadBegun(i, ByEndRead)),
            ("File.ReadAllBytesAsync", i => File.ReadAllBytesAsync(i.Path).GetAwaiter().GetResult()),
            ("RandomAccess.Read", i => Using(File.OpenHandle(i.Path), file => ReadAtOffsets(i, file))),
            ("FileStream.ReadAsync", i => ReadAsync(i).GetAwaiter().GetResult()),
            ("MemoryMappedFile", i => ReadMapped(i))),
        .. Reading(
            IoSide.Sluice, ResultKind.Bytes,
            ("WFIO1.Read", i => ReadByWinFileIO(i, file => file.Read(i.Bytes.Length))),
            ("WFIO2.ReadUntilEOF", i => ReadByWinFileIO(i, file => file.ReadUntilEOF())),
            ("WFIO3.ReadBlocks", i => ReadByWinFileIO(i, file => file.ReadBlocks(i.Bytes.Length))),
            ("SluiceFile.ReadAllBytes", i => SluiceFile.ReadAllBytes(i.Path)),
            ("SluiceStream.Read", i => Using(new SluiceStream(i.Path, FileMode.Open, FileAccess.Read), file => Fill(i, file))),
            ("SluiceHandle.Read", i => Using(SluiceHandle.Open(i.Path), file => file.Read(i.Bytes, 0))),
            ("SluiceReader.Read", i => Using(new SluiceReader(i.Path), reader => reader.Read(i.Bytes))),
            ("SluiceReader.TryReadBlock, copied", i => ReadBlocks(i, FileCaching.Cached)),
            ("SluiceReader.TryReadBlock direct, copied", i => ReadBlocks(i, FileCaching.Direct))),
        .. Reading(
            IoSide.Sluice, ResultKind.Text,
            ("SluiceFile.ReadAllText", i => SluiceFile.ReadAllText(i.Path)),
            ("StreamReader over SluiceStream", i => Using(SluiceFile.OpenText(i.Path), reader => Fill(i, reader.Read)))),
        .. Reading(
            IoSide.Sluice, ResultKind.Lines,
            ("SluiceFile.ReadAllLines", i => SluiceFile.ReadAllLines(i.Path)),
            ("SluiceFile.ReadLines", i => Sum(i, SluiceFile.ReadLines(i.Path))),
            ("SluiceReader.EnumerateLines", i => Using(new SluiceReader(i.Path), reader => EnumerateLines(i, reader))),
            ("SluiceReader.ReadStringLines", i => Using(new SluiceReader(i.Path), reader => Sum(i, reader.ReadStringLines()))),
            ("PipeReader over SluiceStream lines",
                i => ReadPipeAsync(i, PipeReader.Create(SluiceFile.OpenRead(i.Path))).GetAwaiter().GetResult())),
        WithoutOpen("BinaryReader.Read, no open/close", IoSide.Bcl, ResultKind.Text, Binary, (i, reader) => Fill(i, reader.Read)),
        WithoutOpen("StreamReader2.Read(large buf), no open/close", IoSide.Bcl, ResultKind.Text, Large,
            (i, reader) => Fill(i, reader.Read)),
        WithoutOpen("FileStream1.Read, no open/close", IoSide.Bcl, ResultKind.Bytes, i => Open(i, FileOptions.SequentialScan),
            (i, file) => Fill(i, file)),
        WithoutOpen("WFIO.Read, no open/close", IoSide.Sluice, ResultKind.Bytes, i =>
        {
            var file = new WinFileIO(i.Bytes);
            file.OpenForReading(i.Path);
            return file;
        }, (i, file) => Checked(() => file.Read(i.Bytes.Length))),
    ];

    private static FileStream Open(MethodInput input, FileOptions options) =>
        new(input.Path, FileMode.Open, FileAccess.Read, FileShare.Read, MethodInput.BlockSize, options);

    private static BinaryReader Binary(MethodInput input) => new(new FileStream(input.Path, FileMode.Open, FileAccess.Read));

    /// <summary>Returns a reader with a buffer of 64 KiB, as in the article "Efficient File I/O From C#".</summary>
    private static StreamReader Large(MethodInput input) =>
        new(input.Path, Encoding.UTF8, detectEncodingFromByteOrderMarks: true, MethodInput.BlockSize);

    private static object? ReadFile(MethodInput input, FileOptions options) => Using(Open(input, options), file => Fill(input, file));

    private static int Fill(MethodInput input, Stream file) =>
        file.ReadAtLeast(input.Bytes, input.Bytes.Length, throwOnEndOfStream: false);

    /// <summary>
    /// Calls <paramref name="read"/> until the array is full or the file ends, because a call may return less than requested.
    /// </summary>
    private static int Fill(MethodInput input, Func<char[], int, int, int> read)
    {
        int total = 0;
        for (int got; total < input.Chars.Length && (got = read(input.Chars, total, input.Chars.Length - total)) > 0;)
            total += got;
        return total;
    }

    private static int ReadAtOffsets(MethodInput input, SafeFileHandle file)
    {
        int total = 0;
        for (int got; (got = RandomAccess.Read(file, input.Bytes.AsSpan(total), total)) > 0;)
            total += got;
        return total;
    }

    private static async Task<int> ReadAsync(MethodInput input)
    {
        await using var file = new FileStream(
            input.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0,
            FileOptions.Asynchronous | FileOptions.SequentialScan);
        return await file.ReadAtLeastAsync(input.Bytes, input.Bytes.Length, throwOnEndOfStream: false);
    }

    private static int ReadMapped(MethodInput input)
    {
        using MemoryMappedFile file =
            MemoryMappedFile.CreateFromFile(input.Path, FileMode.Open, mapName: null, 0, MemoryMappedFileAccess.Read);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor(0, 0, MemoryMappedFileAccess.Read);
        return view.ReadArray(0, input.Bytes, 0, input.Bytes.Length);
    }

    private static int ReadBlocks(MethodInput input, FileCaching caching)
    {
        using var reader = new SluiceReader(input.Path, new SluiceReaderOptions { Caching = caching });
        int total = 0;
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
        {
            block.CopyTo(input.Bytes.AsSpan(total));
            total += block.Length;
        }
        return total;
    }

    private static object? ReadByWinFileIO(MethodInput input, Func<WinFileIO, int> read) => Using(new WinFileIO(input.Bytes), file =>
    {
        object? got = Checked(() =>
        {
            file.OpenForReading(input.Path);
            return read(file);
        });
        return file.Close() ? got : throw new IOException($"closing {input.Path} failed");
    });

    private static string ReadToEnd(StreamReader reader)
    {
        string text = "";
        while (reader.Peek() >= 0)
            text += reader.ReadToEnd();
        return text;
    }

    private static int ReadUntilPeek(MethodInput input, StreamReader reader)
    {
        int total = 0;
        while (reader.Peek() >= 0)
            total += reader.Read(input.Chars, total, Math.Min(MethodInput.BlockSize, input.Chars.Length - total));
        return total;
    }

    private static Checksum Sum(MethodInput input, IEnumerable<string> lines)
    {
        Checksum sum = input.NewSum();
        foreach (string line in lines)
            sum.AddLine(line);
        return sum;
    }

    private static Checksum ReadLines(MethodInput input, StreamReader reader)
    {
        Checksum sum = input.NewSum();
        while (reader.ReadLine() is { } line)
            sum.AddLine(line);
        return sum;
    }

    private static Checksum EnumerateLines(MethodInput input, SluiceReader reader)
    {
        Checksum sum = input.NewSum();
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
            sum.AddLine(line);
        return sum;
    }

    /// <summary>Splits the data into lines and computes their checksum.</summary>
    private static Checksum Parse(MethodInput input, Action<LineParser<byte>> feed)
    {
        Checksum sum = input.NewSum();
        var parser = new LineParser<byte>((byte)'\n', (byte)'\r', sum.AddLine);
        feed(parser);
        parser.End();
        return sum;
    }

    private static Checksum ParseText(MethodInput input)
    {
        Checksum sum = input.NewSum();
        var parser = new LineParser<char>('\n', '\r', sum.AddLine);
        char[] block = new char[MethodInput.BlockSize];
        using StreamReader reader = Large(input);
        for (int got; (got = reader.Read(block, 0, block.Length)) > 0;)
            parser.Feed(block.AsSpan(0, got));
        parser.End();
        return sum;
    }

    private static object? FeedBlocks(FileStream file, LineParser<byte> parser)
    {
        byte[] block = new byte[MethodInput.BlockSize];
        for (int got; (got = file.Read(block, 0, block.Length)) > 0;)
            parser.Feed(block.AsSpan(0, got));
        return null;
    }

    private static async Task<Checksum> ReadPipeAsync(MethodInput input, PipeReader pipe)
    {
        Checksum sum = input.NewSum();
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

    private static FileStream OpenBegun(MethodInput input) => new(
        input.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0,
            FileOptions.Asynchronous | FileOptions.SequentialScan);

    private static int ReadBegun(MethodInput input, Wait wait)
    {
        using FileStream file = OpenBegun(input);
        int total = 0;
        int got;
        do
        {
            int wanted = Math.Min(MethodInput.BlockSize, input.Bytes.Length - total);
            IAsyncResult read = file.BeginRead(input.Bytes, total, wanted, wait.Callback, state: null);
            wait.For(read);
            got = file.EndRead(read);
            total += got;
        }
        while (got > 0 && total < input.Bytes.Length);
        return total;
    }

    /// <summary>Parses one block while the next one is read.</summary>
    private static Checksum ParseBegun(MethodInput input, Wait wait) => Parse(input, parser =>
    {
        using FileStream file = OpenBegun(input);
        byte[] coming = new byte[MethodInput.BlockSize];
        byte[] come = new byte[MethodInput.BlockSize];
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
