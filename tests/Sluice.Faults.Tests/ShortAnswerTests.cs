using System.Text;
using Shouldly;
using Sluice.Faults.Child.Fuse;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// A file system whose reads come back short before the end of the file, or that tells a length of 0 (FUSE with direct_io): every way of
/// reading gives all bytes.
/// </summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class ShortAnswerTests
{
    private const int FileBytes = 168_894;

    private static readonly Dictionary<string, Func<string, FileCaching, Task<byte[]>>> Ways = new()
    {
        ["handle"] = static (path, caching) =>
        {
            using SluiceHandle handle = Open(path, caching);
            return Task.FromResult(ToEnd(offset => handle.Read(Room, offset)));
        },
        ["handle async"] = static async (path, caching) =>
        {
            await using SluiceHandle handle = Open(path, caching);
            return await ToEndAsync(async (buffer, offset) => await handle.ReadAsync(buffer, offset));
        },
        ["handle unaligned"] = static (path, caching) =>
        {
            using SluiceHandle handle = Open(path, caching);
            return Task.FromResult(ToEnd(offset => handle.Read(Room.AsSpan(1, 1499), offset), at: 1));
        },
        ["handle vectors"] = static async (path, caching) =>
        {
            await using SluiceHandle handle = Open(path, caching);
            return await ToEndAsync(async (buffer, offset) =>
                (int)await handle.ReadAsync((Memory<byte>[])[buffer[..4096], buffer[4096..]], offset));
        },
        ["batch"] = static (path, caching) =>
        {
            using SluiceHandle handle = Open(path, caching);
            return Task.FromResult(ToEnd(offset =>
            {
                ReadRequest[] requests = [new(offset, Room.AsMemory(0, 8192)), new(0, new byte[512])];
                handle.ReadBatch(requests);
                return requests[0].BytesRead;
            }));
        },
        ["reader"] = static (path, caching) =>
        {
            using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = caching });
            return Task.FromResult(ToEnd(_ => reader.Read(Room)));
        },
        ["reader async"] = static async (path, caching) =>
        {
            await using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = caching });
            List<byte> content = [];
            while (await reader.ReadBlockAsync() is { Length: > 0 } block)
            {
                content.AddRange(block.Span);
            }

            return [.. content];
        },
        ["reader lines"] = static (path, caching) =>
        {
            using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = caching });
            List<byte> content = [];
            foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
            {
                content.AddRange(line);
            }

            return Task.FromResult(content.ToArray());
        },
        ["stream"] = static (path, caching) =>
        {
            using SluiceStream stream = new(path, new SluiceOptions { Caching = caching });
            return Task.FromResult(ToEnd(_ => stream.Read(Room)));
        },
        ["stream async"] = static async (path, caching) =>
        {
            await using SluiceStream stream = new(path, new SluiceOptions { Caching = caching, Options = FileOptions.Asynchronous });
            return await ToEndAsync(async (buffer, _) => await stream.ReadAsync(buffer));
        },
        ["ReadAllBytes"] = static (path, _) => Task.FromResult(SluiceFile.ReadAllBytes(path)),
        ["ReadAllBytesAsync"] = static (path, _) => SluiceFile.ReadAllBytesAsync(path),
        ["ReadAllLinesAsync"] = static async (path, _) =>
            Encoding.Latin1.GetBytes(string.Concat(await SluiceFile.ReadAllLinesAsync(path, Encoding.Latin1))),
        ["ReadManyAsync"] = static async (path, _) =>
        {
            await foreach (FileReadResult file in SluiceFile.ReadManyAsync([path]))
            {
                return file.GetContent();
            }

            return [];
        },
    };

    [ThreadStatic]
    private static byte[]? t_room;

    private static byte[] Room => t_room ??= new byte[64 * 1024];

    [SkippableTheory]
    [InlineData(nameof(FuseFault.ShortRead))]
    [InlineData(nameof(FuseFault.ZeroLength))]
    public async Task All_bytes_are_read(string fault)
    {
        using FuseMount mount = FuseMount.OrSkip(Enum.Parse<FuseFault>(fault));
        byte[] content = Content();
        string path = mount.PathOf("a");
        await File.WriteAllBytesAsync(path, content);
        foreach ((string name, Func<string, FileCaching, Task<byte[]>> way) in Ways)
        {
            foreach (FileCaching caching in name.StartsWith("Read", StringComparison.Ordinal)
                ? (FileCaching[])[FileCaching.Cached]
                : [FileCaching.Cached, FileCaching.Direct])
            {
                (await way(path, caching)).AsSpan().SequenceEqual(content).ShouldBeTrue($"{name}, {caching}");
            }
        }
    }

    /// <summary>Where the length is right one call gives all that fits, whatever the file system's calls give.</summary>
    [SkippableTheory]
    [InlineData(FileCaching.Cached)]
    [InlineData(FileCaching.Direct)]
    public async Task A_read_is_short_only_at_the_end(FileCaching caching)
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.ShortRead);
        byte[] content = Content();
        await File.WriteAllBytesAsync(mount.PathOf("a"), content);
        using SluiceHandle handle = Open(mount.PathOf("a"), caching);
        byte[] read = new byte[FileBytes];
        handle.Read(read, 0).ShouldBe(FileBytes);
        read.AsSpan().SequenceEqual(content).ShouldBeTrue();
        (await handle.ReadAsync(read.AsMemory(0, 10_001), 4097)).ShouldBe(10_001);
        read.AsSpan(0, 10_001).SequenceEqual(content.AsSpan(4097, 10_001)).ShouldBeTrue();
        ReadRequest[] requests = [new(8192, read.AsMemory(0, 8192)), new(FileBytes - 600, read.AsMemory(8192, 700))];
        handle.ReadBatch(requests);
        requests.Select(static r => r.BytesRead).ShouldBe([8192, 600]);
        read.AsSpan(0, 8192).SequenceEqual(content.AsSpan(8192, 8192)).ShouldBeTrue();
        (await handle.ReadAsync(read, FileBytes)).ShouldBe(0);
    }

    private static byte[] Content()
    {
        byte[] content = new byte[FileBytes];
        new Random(1).NextBytes(content);
        foreach (ref byte b in content.AsSpan())
        {
            // No line ends: lines are the whole.
            b = b is (byte)'\n' or (byte)'\r' ? (byte)'x' : b;
        }

        return content;
    }

    private static SluiceHandle Open(string path, FileCaching caching) => SluiceHandle.Open(
        path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, FileOptions.Asynchronous, 0, caching);

    private static byte[] ToEnd(Func<long, int> read, int at = 0)
    {
        List<byte> content = [];
        while (read(content.Count) is > 0 and int bytes)
        {
            content.AddRange(Room.AsSpan(at, bytes));
        }

        return [.. content];
    }

    private static async Task<byte[]> ToEndAsync(Func<Memory<byte>, long, Task<int>> read)
    {
        List<byte> content = [];
        byte[] room = new byte[64 * 1024];
        while (await read(room, content.Count) is > 0 and int bytes)
        {
            content.AddRange(room.AsSpan(0, bytes));
        }

        return [.. content];
    }
}
