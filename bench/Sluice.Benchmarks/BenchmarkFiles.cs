using Sluice.Cli.Bench;

namespace Sluice.Benchmarks;

/// <summary>Files in a folder of this run's own, gone with it. The folder decides the disk: SLUICE_BENCH_DIR, or the temporary one.</summary>
public sealed class BenchmarkFiles : IDisposable
{
    public const int OneKibibyte = 1 << 10;
    public const int OneMebibyte = 1 << 20;
    public const int HundredMebibytes = 100 << 20;

    private const int PieceBytes = OneMebibyte;

    private readonly ScratchFolder _folder = ScratchFolder.Create(
        Environment.GetEnvironmentVariable("SLUICE_BENCH_DIR") ?? Path.GetTempPath());

    /// <summary>A path where no file is yet.</summary>
    public string Destination => Path.Combine(_folder.FullPath, "destination.dat");

    /// <summary>Made when it is first asked for, of random bytes, on the disk and in the page cache.</summary>
    public string Source(long sizeBytes)
    {
        string path = Path.Combine(_folder.FullPath, $"source-{sizeBytes}.dat");
        if (File.Exists(path))
            return path;
        byte[] piece = new byte[PieceBytes];
        new Random(1).NextBytes(piece);
        using var file = new FileStream(path, FileMode.CreateNew, FileAccess.Write);
        for (long left = sizeBytes; left > 0; left -= piece.Length)
            file.Write(piece, 0, (int)Math.Min(piece.Length, left));
        file.Flush(flushToDisk: true);
        return path;
    }

    public void Dispose() => _folder.Dispose();
}
