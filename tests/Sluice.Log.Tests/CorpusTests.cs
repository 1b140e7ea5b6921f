using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;

namespace Sluice.Log.Tests;

/// <summary>
/// Reads the log folders of Corpus/logs.zip. An earlier build wrote them; every later build must read the same records. The manifest in the
/// archive lists for each folder the sequence number and the first bytes of the SHA-256 of each record.
/// </summary>
public sealed class CorpusTests
{
    private static readonly Dictionary<string, (string Expectation, List<string> Lines)> s_manifest = ReadManifest();

    /// <summary>Logs in which a segment replaced records of earlier ones, as an unreleased version wrote them.</summary>
    private static readonly string[] s_restarted =
    [
        "truncated-after", "truncated-after-across-segments", "truncated-after-everything", "truncated-after-many-times",
        "truncated-before-and-after", "failed-sync",
    ];

    public static TheoryData<string> Framed => [.. Names("reads").Except(s_restarted)];

    public static TheoryData<string> Restarted => [.. s_restarted];

    public static TheoryData<string> Raw => [.. Names("raw")];

    [Theory]
    [MemberData(nameof(Framed))]
    public void A_reader_returns_the_records_that_were_there(string name)
    {
        using TempFolder folder = new();
        Extract(name, folder.Log);
        Dictionary<string, string> before = Files(folder.Log);
        ReadLines(folder.Log).ShouldBe(s_manifest[name].Lines);
        Files(folder.Log).ShouldBe(before, "reading changes nothing");
    }

    [Theory]
    [MemberData(nameof(Framed))]
    public void A_writer_keeps_the_records_and_continues_after_them(string name)
    {
        using TempFolder folder = new();
        Extract(name, folder.Log);
        List<string> expected = [.. s_manifest[name].Lines.Where(static l => !l.StartsWith("  tail", StringComparison.Ordinal))];
        byte[] added = "added by a later build"u8.ToArray();
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            expected.Add($"  {log.Append(added, LogDurability.Durable)} {Hash(added)}");
        }

        ReadLines(folder.Log).ShouldBe(expected);
        using (SluiceLog log = folder.Open())
        {
            log.Cut.ShouldBeNull();
            log.TruncateAfter(log.NextSequence - 2);
        }

        ReadLines(folder.Log).ShouldBe(expected[..^1]);
    }

    [Theory]
    [MemberData(nameof(Restarted))]
    public void A_log_that_was_restarted_is_refused_by_name(string name)
    {
        using TempFolder folder = new();
        Extract(name, folder.Log);
        Dictionary<string, string> before = Files(folder.Log);
        Should.Throw<NotSupportedException>(() => ReadLines(folder.Log)).Message.ShouldContain(folder.Log);
        Should.Throw<NotSupportedException>(() => folder.Open()).Message.ShouldContain(folder.Log);
        Files(folder.Log).Where(static f => f.Key != "log.lock").ShouldBe(before);
    }

    [Fact]
    public void A_compressed_segment_is_refused_by_name()
    {
        using TempFolder folder = new();
        Extract("compressed", folder.Log);
        string name = folder.PathOf("0000000001.slog.gz");
        Should.Throw<NotSupportedException>(() => ReadLines(folder.Log)).Message.ShouldContain(name);
        Should.Throw<NotSupportedException>(() => folder.Open()).Message.ShouldContain(name);
    }

    [Fact]
    public void A_log_with_shared_memory_is_refused_by_name()
    {
        using TempFolder folder = new();
        Extract("with-memory", folder.Log);
        string name = folder.PathOf("log.memory");
        Should.Throw<NotSupportedException>(() => folder.Open()).Message.ShouldContain(name);
        Should.Throw<NotSupportedException>(() => folder.ReadAll()).Message.ShouldContain(name);
        File.Delete(name);
        folder.Open().Dispose();
    }

    [Theory]
    [MemberData(nameof(Raw))]
    public void A_raw_log_keeps_its_bytes(string name)
    {
        using TempFolder folder = new();
        Extract(name, folder.Log);
        HashContent(folder.Log).ShouldBe(s_manifest[name].Lines.Single().Trim());
        string? pattern = name == "raw-with-a-date" ? "app-{date:yyyyMMdd}-{id}.log" : null;
        using (SluiceLog log = folder.Open(new SluiceLogOptions { Format = LogFormat.Raw, FileNamePattern = pattern }))
        {
            log.Append([], LogDurability.Durable);
        }

        HashContent(folder.Log).ShouldBe(s_manifest[name].Lines.Single().Trim());
    }

    private static IEnumerable<string> Names(string expectation) =>
        s_manifest.Where(p => p.Value.Expectation == expectation).Select(static p => p.Key);

    private static List<string> ReadLines(string directory)
    {
        List<string> lines = [];
        using SluiceLogReader reader = new(directory, new SluiceLogReaderOptions { UpTo = LogDurability.Written });
        foreach (LogEntry entry in reader.Entries)
        {
            lines.Add($"  {entry.Sequence} {Hash(entry.Bytes)}");
        }

        if (reader.Tail is { } tail)
        {
            lines.Add($"  tail {Path.GetFileName(tail.Path)} {tail.FileOffset} {tail.Bytes} {tail.Sequence}");
        }

        return lines;
    }

    private static string HashContent(string directory)
    {
        using MemoryStream content = new();
        foreach (string path in Directory.GetFiles(directory).Order(StringComparer.Ordinal))
        {
            using Stream file = File.OpenRead(path);
            using Stream bytes = path.EndsWith(".gz", StringComparison.Ordinal)
                ? new GZipStream(file, CompressionMode.Decompress) : file;
            bytes.CopyTo(content);
        }

        return Hash(content.ToArray());
    }

    private static string Hash(ReadOnlySpan<byte> bytes) => Convert.ToHexString(SHA256.HashData(bytes))[..16];

    private static Dictionary<string, string> Files(string directory) =>
        Directory.GetFiles(directory).ToDictionary(static f => Path.GetFileName(f), static f => Hash(File.ReadAllBytes(f)));

    private static ZipArchive OpenArchive() =>
        new(File.OpenRead(Path.Combine(AppContext.BaseDirectory, "Corpus", "logs.zip")), ZipArchiveMode.Read);

    private static void Extract(string name, string directory)
    {
        _ = Directory.CreateDirectory(directory);
        using ZipArchive archive = OpenArchive();
        foreach (ZipArchiveEntry entry in archive.Entries.Where(e => e.FullName.StartsWith(name + "/", StringComparison.Ordinal)))
        {
            entry.ExtractToFile(Path.Combine(directory, entry.Name));
        }
    }

    private static Dictionary<string, (string Expectation, List<string> Lines)> ReadManifest()
    {
        using ZipArchive archive = OpenArchive();
        using StreamReader reader = new(archive.GetEntry("manifest.txt")!.Open(), Encoding.UTF8);
        Dictionary<string, (string, List<string>)> manifest = [];
        List<string> lines = [];
        while (reader.ReadLine() is { } line)
        {
            if (line.StartsWith(' '))
            {
                lines.Add(line);
                continue;
            }

            string[] words = line.Split(' ');
            manifest.Add(words[0], (words[1], lines = []));
        }

        return manifest;
    }
}
