using SharpCompress.Archives;
using SharpCompress.Archives.SevenZip;
using SharpCompress.Archives.Zip;
using SharpCompress.Common;
using SharpCompress.Readers;
using SharpCompress.Writers;
using SharpCompress.Writers.GZip;
using SharpCompress.Writers.SevenZip;
using SharpCompress.Writers.Tar;
using SharpCompress.Writers.Zip;
using K4os.Compression.LZ4.Streams;
using Sluice.Clients.Tests.Support;
using ZstdSharp;

namespace Sluice.Clients.Tests.Clients;

/// <summary>Streams of zstd and LZ4, and SharpCompress, which writes archives from the front to the back and reads them both so and at places.</summary>
internal static class ArchiveClients
{
    private const int Files = 6;

    private static readonly DateTime Date = Workplace.Date.UtcDateTime;

    public static IReadOnlyList<Client> All { get; } =
    [
        new Client("SharpCompress: zip", Zip),
        new Client("SharpCompress: zip, asynchronously", ZipAsync),
        new Client("SharpCompress: tar in gzip", TarInGZip),
        new Client("SharpCompress: gzip", GZip),
        new Client("SharpCompress: 7z", SevenZip),
        new Client("ZstdSharp", ZstdAsync),
        new Client("LZ4", Lz4Async),
    ];

    private static async Task ZstdAsync(Workplace place)
    {
        await using (CompressionStream packed = new(place.Create("data.zst"), leaveOpen: false))
        {
            await packed.WriteAsync(Workplace.Content());
        }

        await using DecompressionStream unpacked = new(place.OpenRead("data.zst"), leaveOpen: false);
        await place.SawRestAsync(unpacked);
    }

    private static async Task Lz4Async(Workplace place)
    {
        await using (LZ4EncoderStream packed = LZ4Stream.Encode(place.Create("data.lz4")))
        {
            await packed.WriteAsync(Workplace.Content());
        }

        await using LZ4DecoderStream unpacked = LZ4Stream.Decode(place.OpenRead("data.lz4"));
        await place.SawRestAsync(unpacked);
    }

    private static byte[] ContentOf(int file) => Workplace.Content((file + 1) * 9_000, file + 1);

    private static void Zip(Workplace place)
    {
        using (Stream target = place.Create("a.zip"))
        using (ZipWriter writer = new(target, new ZipWriterOptions(CompressionType.Deflate)))
        {
            WriteFiles(writer);
        }

        // As it comes, then at its places, and once more with an entry less and one more.
        using (Stream source = place.OpenRead("a.zip"))
        using (IReader reader = ReaderFactory.OpenReader(source))
        {
            SawAll(place, reader);
        }

        using (Stream source = place.OpenRead("a.zip"))
        using (IWritableArchive<ZipWriterOptions> archive = ZipArchive.OpenArchive(source))
        {
            SawEntries(place, archive);
            archive.RemoveEntry(archive.Entries.First(static e => e.Key == "file2"));
            using MemoryStream added = new(ContentOf(3));
            _ = archive.AddEntry("added", added, closeStream: false, added.Length, Date);
            using Stream saved = place.Create("b.zip");
            archive.SaveTo(saved, new ZipWriterOptions(CompressionType.BZip2));
        }

        using Stream changed = place.OpenRead("b.zip");
        using IArchive read = ArchiveFactory.OpenArchive(changed);
        SawEntries(place, read);
    }

    private static async Task ZipAsync(Workplace place)
    {
        await using (Stream target = place.Create("c.zip"))
        await using (IAsyncWriter writer =
            await WriterFactory.OpenAsyncWriter(target, ArchiveType.Zip, new ZipWriterOptions(CompressionType.LZMA)))
        {
            for (int i = 0; i < Files; i++)
            {
                using MemoryStream content = new(ContentOf(i));
                await writer.WriteAsync($"file{i}", content, Date);
            }
        }

        await using Stream source = place.OpenRead("c.zip");
        await using IAsyncReader reader = await ReaderFactory.OpenAsyncReader(source);
        while (await reader.MoveToNextEntryAsync())
        {
            await using Stream content = await reader.OpenEntryStreamAsync();
            place.Saw(reader.Entry.Key);
            await place.SawRestAsync(content);
        }
    }

    private static void TarInGZip(Workplace place)
    {
        using (Stream target = place.Create("a.tar.gz"))
        using (TarWriter writer = new(target, new TarWriterOptions(CompressionType.GZip, finalizeArchiveOnClose: true)))
        {
            WriteFiles(writer);
        }

        ClearTime(place, "a.tar.gz");
        using Stream source = place.OpenRead("a.tar.gz");
        using IReader reader = ReaderFactory.OpenReader(source);
        SawAll(place, reader);
    }

    private static void GZip(Workplace place)
    {
        using (Stream target = place.Create("a.gz"))
        using (GZipWriter writer = new(target, new GZipWriterOptions()))
        using (MemoryStream content = new(Workplace.Content(150_000)))
        {
            writer.Write("data", content, Date);
        }

        ClearTime(place, "a.gz");
        using FileStream source = Workplace.AsFileStream(place.OpenRead("a.gz"));
        using IArchive archive = ArchiveFactory.OpenArchive(source);
        SawEntries(place, archive);
    }

    private static void SevenZip(Workplace place)
    {
        using (Stream target = place.Create("a.7z"))
        using (SevenZipWriter writer = new(target, new SevenZipWriterOptions()))
        {
            WriteFiles(writer);
        }

        using FileStream source = Workplace.AsFileStream(place.OpenRead("a.7z"));
        using IArchive archive = SevenZipArchive.OpenArchive(source);
        SawEntries(place, archive);
        using IReader reader = archive.ExtractAllEntries();
        SawAll(place, reader);
    }

    /// <summary>What stands in the header of a gzip file is when it was made.</summary>
    private static void ClearTime(Workplace place, string name)
    {
        using Stream header = place.Open(name, FileMode.Open, FileAccess.ReadWrite);
        header.Position = 4;
        header.Write(new byte[4]);
    }

    private static void WriteFiles(IWriter writer)
    {
        for (int i = 0; i < Files; i++)
        {
            using MemoryStream content = new(ContentOf(i));
            writer.Write($"file{i}", content, Date);
        }
    }

    private static void SawAll(Workplace place, IReader reader)
    {
        while (reader.MoveToNextEntry())
        {
            using MemoryStream content = new();
            reader.WriteEntryTo(content);
            place.Saw(reader.Entry.Key);
            place.SawBytes(content.ToArray());
        }
    }

    private static void SawEntries(Workplace place, IArchive archive)
    {
        foreach (IArchiveEntry entry in archive.Entries.Reverse())
        {
            using Stream stream = entry.OpenEntryStream();
            using MemoryStream content = new();
            stream.CopyTo(content);
            place.Saw(entry.Key);
            place.SawBytes(content.ToArray());
        }
    }
}
