namespace Sluice.Clients.Tests.Support;

/// <summary>A folder, the way in which its files are opened, and what was seen in them.</summary>
internal sealed class Workplace(string folder, FileCaching? caching, int bufferSize = -1) : IDisposable
{
    /// <summary>Not a multiple of any block or buffer.</summary>
    public const int Size = 700_001;

    private readonly List<string> _seen = [];

    public string Folder { get; } = Directory.CreateDirectory(folder).FullName;

    public IReadOnlyList<string> Seen => _seen;

    public static DateTimeOffset Date { get; } = new(2026, 11, 22, 12, 0, 0, TimeSpan.Zero);

    public void Dispose() => Directory.Delete(Folder, recursive: true);

    public string PathOf(string name) => Path.Combine(Folder, name);

    public Stream Create(string name) => Open(name, FileMode.Create, FileAccess.ReadWrite);

    public Stream OpenRead(string name) => Open(name, FileMode.Open, FileAccess.Read);

    /// <summary>A FileStream, or a SluiceStream where a way of caching is named.</summary>
    public Stream Open(string name, FileMode mode, FileAccess access)
    {
        if (caching is not { } way)
        {
            return new FileStream(PathOf(name), mode, access, FileShare.Read, 4096, useAsync: true);
        }

        SluiceOptions options = new() { Mode = mode, Access = access, Share = FileShare.Read, Caching = way };
        return bufferSize < 0 || mode == FileMode.Append ? new SluiceStream(PathOf(name), options)
            : new SluiceStream(SluiceHandle.Open(PathOf(name), options), access, bufferSize);
    }

    /// <summary>For code that wants a FileStream: the stream itself, or one over a SluiceStream.</summary>
    public static FileStream AsFileStream(Stream stream) => stream as FileStream ?? ((SluiceStream)stream).AsFileStream();

    public void Saw(object? value) => _seen.Add(value?.ToString() ?? "null");

    /// <summary>Bytes that compress a little, the same for every caller.</summary>
    public static byte[] Content(int length = Size, int seed = 1)
    {
        byte[] bytes = new byte[length];
        uint state = (uint)seed;
        for (int i = 0; i < length; i++)
        {
            state = (state * 1_664_525) + 1_013_904_223;
            bytes[i] = (byte)((state >> 24) & 0x3F);
        }

        return bytes;
    }

    public void SawBytes(ReadOnlySpan<byte> bytes) =>
        Saw($"{bytes.Length} bytes, {Convert.ToHexString(System.Security.Cryptography.SHA256.HashData(bytes))}");

    /// <summary>Reads to the end and tells what was there.</summary>
    public async Task SawRestAsync(Stream stream)
    {
        using MemoryStream rest = new();
        await stream.CopyToAsync(rest);
        SawBytes(rest.ToArray());
    }
}
