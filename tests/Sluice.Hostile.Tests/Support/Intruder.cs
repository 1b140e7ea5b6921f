namespace Sluice.Hostile.Tests.Support;

/// <summary>
/// Whoever comes next: takes the descriptors and the memory that were given up a moment ago, and writes files of its own by them. Bytes of
/// another one would show in its files, and its bytes in theirs.
/// </summary>
internal sealed class Intruder(TempFolder temp)
{
    public const byte Fill = (byte)'b';

    private static readonly byte[] Content = [.. Enumerable.Repeat(Fill, 40_000)];
    private readonly List<string> _paths = [];

    /// <summary>Opens, writes and reads.</summary>
    public void Come()
    {
        foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
        {
            string path = temp.NewPath();
            lock (_paths)
            {
                _paths.Add(path);
            }

            using (SluiceWriter writer = new(path, new SluiceWriterOptions { Caching = caching, RequestSize = 4096, Depth = 2 }))
            {
                writer.Write(Content);
            }

            using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = caching, RequestSize = 4096, Depth = 2 });
            byte[] read = new byte[Content.Length];
            reader.ReadExactly(read);
            read.ShouldBeBytes(Content, "what came next, as it reads");
        }
    }

    /// <summary>Its files are its own.</summary>
    public void Check()
    {
        lock (_paths)
        {
            foreach (string path in _paths)
            {
                File.ReadAllBytes(path).ShouldBeBytes(Content, "what came next");
                File.Delete(path);
            }
        }
    }
}
