using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>The files of the scratch folder. The first row that needs a file creates it, and later rows share it.</summary>
internal sealed class BenchContext(string directory, BenchScale scale, CancellationToken cancellationToken)
{
    private readonly HashSet<string> _scratchFiles = [];

    public BenchScale Scale { get; } = scale;

    /// <summary>Canceled when the run is to end. Long file creations check it.</summary>
    public CancellationToken CancellationToken => cancellationToken;

    /// <summary>Larger than the cache of a device; read with direct I/O or with its pages dropped.</summary>
    public string DirectFile => Ensure("direct.dat", Scale.DirectFileBytes);

    /// <summary>Small enough to stay in the page cache.</summary>
    public string HotFile => Ensure("hot.dat", Scale.HotFileBytes);

    /// <summary>A file in the page cache that a stream reads from open to close.</summary>
    public string StreamFile => Ensure("stream.dat", Scale.StreamFileBytes);

    /// <summary>A file in the page cache that is read byte by byte.</summary>
    public string ByteFile => Ensure("bytes.dat", Scale.ByteFileBytes);

    /// <summary>Lines of text, in the page cache; about as long as <see cref="ByteFile"/>.</summary>
    public string LineFile => TextFile(Scale.ByteFileBytes);

    /// <summary>A file that is read directly from its start to its end.</summary>
    public string SequentialFile => Ensure("sequential.dat", Scale.SequentialFileBytes);

    /// <summary>A file on a file system whose requests go to another machine.</summary>
    public string RemoteFile => Ensure("remote.dat", Scale.RemoteFileBytes);

    /// <summary>The source of copies.</summary>
    public string CopyFile => Ensure("copy-source.dat", Scale.CopyFileBytes);

    /// <summary>Log-like text, every line 100 bytes with its end, in the page cache.</summary>
    public string LogFile => EnsureLog("log.txt", Scale.LogFileBytes);

    /// <summary>A small file of this size, in the page cache.</summary>
    public string SmallFile(long sizeBytes) => Ensure($"small-{sizeBytes}.dat", sizeBytes);

    /// <summary>Makes sure that a row can write so much without filling the disk.</summary>
    /// <exception cref="RowSkippedException">There is too little room.</exception>
    public void RequireRoom(long bytes)
    {
        long needed = bytes + BenchScale.SpareBytes;
        if (EnvironmentProbe.FreeBytesAt(directory) is { } free && free < needed)
            throw new RowSkippedException($"{ByteSize.Format(needed)} needed, {ByteSize.Format(free)} free");
    }

    /// <summary>A file of one row, which is deleted after the row.</summary>
    public string ScratchFile(string name)
    {
        string path = Path.Combine(directory, name);
        _scratchFiles.Add(path);
        return path;
    }

    /// <summary>A path that several rows share. It is deleted at the end of the run.</summary>
    public string KeptPath(string name) => Path.Combine(directory, name);

    /// <summary>Writes the file's dirty pages back and drops all its pages from memory.</summary>
    public static void DropCache(string path)
    {
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        _ = PageCache.Drop(handle.SafeFileHandle);
    }

    public void DeleteScratchFiles()
    {
        foreach (string path in _scratchFiles)
            File.Delete(path);
        _scratchFiles.Clear();
    }

    /// <summary>Lines of 0 to 119 characters, in the page cache.</summary>
    public string TextFile(long sizeBytes) => Ensure($"text-{sizeBytes}.txt", sizeBytes, path =>
    {
        var random = new Random(42);
        using var writer = new StreamWriter(path);
        for (long left = sizeBytes; left > 0;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            string line = new((char)('a' + random.Next(26)), (int)Math.Min(left - 1, random.Next(120)));
            writer.Write(line);
            writer.Write('\n');
            left -= line.Length + 1;
        }
    });

    private string Ensure(string name, long sizeBytes) => Ensure(name, sizeBytes, path =>
    {
        using IoTarget target = IoTarget.Open(
            IoSide.Bcl, new TargetOptions(path, FileMode.Create, FileAccess.ReadWrite) { PreallocationSizeBytes = sizeBytes });
        FileMaker.Fill(target, 0, sizeBytes, FileMaker.DefaultRequestSizeBytes, progress: null, cancellationToken);
        target.Flush();
    });

    private string EnsureLog(string name, long sizeBytes) => Ensure(name, sizeBytes, path =>
    {
        const int LineBytes = 100;
        const int BlockLines = 10_000;
        string block = string.Concat(Enumerable.Range(0, BlockLines).Select(i =>
            $"2026-01-01T00:00:00.{i:000000}Z INFO request {i * 7919L % 100_000:00000} served in {i % 977} us".PadRight(LineBytes - 1)
                + '\n'));
        byte[] bytes = System.Text.Encoding.ASCII.GetBytes(block);
        using var file = new FileStream(path, FileMode.Create, FileAccess.Write);
        for (long written = 0; written < sizeBytes; written += bytes.Length)
        {
            cancellationToken.ThrowIfCancellationRequested();
            file.Write(bytes, 0, (int)Math.Min(bytes.Length, sizeBytes - written));
        }
        file.Flush(flushToDisk: true);
    });

    private string Ensure(string name, long sizeBytes, Action<string> make)
    {
        string path = Path.Combine(directory, name);
        if (File.Exists(path) && new FileInfo(path).Length == sizeBytes)
            return path;
        RequireRoom(sizeBytes);
        make(path);
        return path;
    }
}
