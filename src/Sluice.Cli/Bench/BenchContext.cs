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

    /// <summary>Gets the token that is canceled when the run is to end. The creation of long files checks it.</summary>
    public CancellationToken CancellationToken => cancellationToken;

    /// <summary>Gets a file that is larger than the cache of a device. Rows read it with direct I/O or drop its pages first.</summary>
    public string DirectFile => Ensure("direct.dat", Scale.DirectFileBytes);

    /// <summary>Gets a file that is small enough to stay in the page cache.</summary>
    public string HotFile => Ensure("hot.dat", Scale.HotFileBytes);

    /// <summary>Gets a file in the page cache for rows whose operation opens, reads and closes a stream.</summary>
    public string StreamFile => Ensure("stream.dat", Scale.StreamFileBytes);

    /// <summary>Gets a file in the page cache for rows that read single bytes.</summary>
    public string ByteFile => Ensure("bytes.dat", Scale.ByteFileBytes);

    /// <summary>
    /// Gets a text file in the page cache with lines of 0 to 119 characters. It is as long as <see cref="ByteFile"/>.
    /// </summary>
    public string LineFile => Ensure("lines.txt", Scale.ByteFileBytes, path =>
    {
        var random = new Random(42);
        using var writer = new StreamWriter(path);
        for (long left = Scale.ByteFileBytes; left > 0;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            string line = new((char)('a' + random.Next(26)), (int)Math.Min(left - 1, random.Next(120)));
            writer.Write(line);
            writer.Write('\n');
            left -= line.Length + 1;
        }
    });

    /// <summary>Gets a file for rows that read with direct I/O from the start to the end.</summary>
    public string SequentialFile => Ensure("sequential.dat", Scale.SequentialFileBytes);

    /// <summary>Gets the file that rows copy.</summary>
    public string CopyFile => Ensure("copy-source.dat", Scale.CopyFileBytes);

    /// <summary>Gets a text file in the page cache. Each line has 100 bytes, including its line end.</summary>
    public string LogFile => Ensure("log.txt", Scale.LogFileBytes, path =>
    {
        const int LineBytes = 100;
        const int BlockLines = 10_000;
        string block = string.Concat(Enumerable.Range(0, BlockLines).Select(i =>
            $"2026-01-01T00:00:00.{i:000000}Z INFO request {i * 7919L % 100_000:00000} served in {i % 977} us".PadRight(LineBytes - 1)
                + '\n'));
        byte[] bytes = System.Text.Encoding.ASCII.GetBytes(block);
        using var file = new FileStream(path, FileMode.Create, FileAccess.Write);
        for (long written = 0; written < Scale.LogFileBytes; written += bytes.Length)
        {
            cancellationToken.ThrowIfCancellationRequested();
            file.Write(bytes, 0, (int)Math.Min(bytes.Length, Scale.LogFileBytes - written));
        }
        file.Flush(flushToDisk: true);
    });

    /// <summary>Returns a small file of the given size, in the page cache.</summary>
    public string SmallFile(long sizeBytes) => Ensure($"small-{sizeBytes}.dat", sizeBytes);

    /// <summary>Checks that the free space is sufficient for the number of bytes and <see cref="BenchScale.SpareBytes"/>.</summary>
    /// <exception cref="RowSkippedException">There is not enough free space.</exception>
    public void RequireRoom(long bytes)
    {
        long needed = bytes + BenchScale.SpareBytes;
        if (EnvironmentProbe.FreeBytesAt(directory) is { } free && free < needed)
            throw new RowSkippedException($"{ByteSize.Format(needed)} needed, {ByteSize.Format(free)} free");
    }

    /// <summary>Returns the path of a file that is deleted after the row.</summary>
    public string ScratchFile(string name)
    {
        string path = Path.Combine(directory, name);
        _scratchFiles.Add(path);
        return path;
    }

    /// <summary>Returns a path that several rows share. It is deleted at the end of the run.</summary>
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

    private string Ensure(string name, long sizeBytes) => Ensure(name, sizeBytes, path => FileMaker.Create(
        IoSide.Bcl, new TargetOptions(path, FileMode.Create, FileAccess.ReadWrite) { PreallocationSizeBytes = sizeBytes }, sizeBytes,
        FileMaker.DefaultRequestSizeBytes, progress: null, cancellationToken));

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
