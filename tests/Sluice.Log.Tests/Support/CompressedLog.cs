using System.IO.Compression;

namespace Sluice.Log.Tests.Support;

/// <summary>Raw logs of small files that are compressed.</summary>
internal static class CompressedLog
{
    /// <summary>Records of a log that <see cref="Fill"/> has made.</summary>
    public const int Count = 300;

    public static SluiceLogOptions Options(CompressionLevel level = CompressionLevel.Fastest) =>
        SmallLog.With(o => (o.Format, o.Compression) = (LogFormat.Raw, level));

    public static void Fill(string directory, int count = Count)
    {
        using SluiceLog log = SluiceLog.Open(directory, SmallLog.With(LogFormat.Raw));
        log.AppendMany(0, count);
    }

    /// <summary>Until the file that is written is the only one that is not compressed.</summary>
    public static void AwaitCompressed(string directory) => Threads.WaitUntil(
        () =>
        {
            Thread.Sleep(1);
            return Directory.GetFiles(directory, "*.log").Length <= 1 && Directory.GetFiles(directory, "*.tmp").Length == 0;
        },
        "they are not compressed");

    /// <summary>What all segments have together, compressed or not; of one that is there twice what the plain file has.</summary>
    public static byte[] Content(string directory)
    {
        using MemoryStream all = new();
        IEnumerable<string> names = Directory.GetFiles(directory)
            .Select(static f => f.EndsWith(".gz", StringComparison.Ordinal) ? f[..^3] : f)
            .Where(f => f.EndsWith(".log", StringComparison.Ordinal))
            .Distinct()
            .Order(StringComparer.Ordinal);
        foreach (string name in names)
        {
            using Stream file = File.OpenRead(File.Exists(name) ? name : name + ".gz");
            using Stream content = File.Exists(name) ? file : new GZipStream(file, CompressionMode.Decompress);
            content.CopyTo(all);
        }

        return all.ToArray();
    }
}
