using System.IO.Compression;

namespace Sluice.Log.Tests.Support;

/// <summary>Raw logs of small files that are compressed.</summary>
internal static class CompressedLog
{
    /// <summary>Records of a log that <see cref="Fill"/> has made.</summary>
    public const int Count = 300;

    public static SluiceLogOptions Options(
        CompressionLevel level = CompressionLevel.Fastest, Action<string>? step = null) => new()
        {
            Format = LogFormat.Raw,
            Compression = level,
            CompressionStep = step,
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Preallocate = false,
        };

    public static void Fill(
        string directory, SluiceLogOptions options, int count = Count)
    {
        using SluiceLog log = SluiceLog.Open(directory, options);
        for (int i = 0; i < count; i++)
        {
            log.Append(Records.Make(0, i, 100), LogDurability.Written);
        }
    }

    public static void AwaitCompressed(TempFolder folder, string extension) => AwaitCompressed(folder.Log, extension);

    /// <summary>Until the segment that is written, and one that was made ahead, are the only ones that are not compressed.</summary>
    public static void AwaitCompressed(string directory, string extension, int plainOnes = 1)
    {
        SpinWait.SpinUntil(
            () =>
            {
                Thread.Sleep(1);
                string[] files = Directory.GetFiles(directory);
                string[] plain = [.. files.Where(f => f.EndsWith("." + extension, StringComparison.Ordinal)
                    && new FileInfo(f).Exists)];
                return plain.Length <= plainOnes && !files.Any(static f => f.EndsWith(".tmp", StringComparison.Ordinal));
            },
            TimeSpan.FromMinutes(1)).ShouldBeTrue("they are not compressed");
    }

    /// <summary>What all segments have together, compressed or not; of one that is there twice what the plain file has.</summary>
    public static byte[] Content(string directory, string extension)
    {
        using MemoryStream all = new();
        IEnumerable<string> names = Directory.GetFiles(directory)
            .Select(static f => f.EndsWith(".gz", StringComparison.Ordinal) ? f[..^3] : f)
            .Where(f => f.EndsWith("." + extension, StringComparison.Ordinal))
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
