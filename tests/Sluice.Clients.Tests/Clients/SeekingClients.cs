using System.IO.Compression;
using System.IO.MemoryMappedFiles;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Resources;
using System.Text;
using Sluice.Clients.Tests.Support;

namespace Sluice.Clients.Tests.Clients;

/// <summary>The framework's own, where they go back and forth in a file.</summary>
internal static class SeekingClients
{
    public static IReadOnlyList<Client> All { get; } =
    [
        new Client("Zip: created, updated, read", ZipAsync),
        new Client("Zip, asynchronously", ZipOfDotNet10Async),
        new Client("ResourceWriter", Resources),
        new Client("PEReader", place => ReadAssembly(place, static stream => stream)),
        new Client("PEReader, over AsFileStream", place => ReadAssembly(place, Workplace.AsFileStream)),
        new Client("BinaryWriter that goes back to patch lengths", BackPatch),
        new Client("MemoryMappedFile over the stream's handle", MapAsync),
        new Client("records at random", RandomRecordsAsync),
    ];

    private static async Task ZipAsync(Workplace place)
    {
        using (ZipArchive archive = new(place.Create("a.zip"), ZipArchiveMode.Create))
        {
            for (int i = 0; i < 12; i++)
            {
                Add(archive, $"entry-{i}", Workplace.Content(i * 5000, i + 1));
            }
        }

        using (ZipArchive archive = new(place.Open("a.zip", FileMode.Open, FileAccess.ReadWrite), ZipArchiveMode.Update))
        {
            archive.GetEntry("entry-3")!.Delete();
            Add(archive, "added", Workplace.Content(30_000, 77));
            ZipArchiveEntry changed = archive.GetEntry("entry-5")!;
            using (Stream content = changed.Open())
            {
                content.SetLength(100);
            }

            changed.LastWriteTime = Workplace.Date;
        }

        using ZipArchive result = new(place.OpenRead("a.zip"), ZipArchiveMode.Read);
        foreach (ZipArchiveEntry entry in result.Entries.Reverse())
        {
            place.Saw($"{entry.FullName} {entry.Length} {entry.Crc32}");
            using Stream content = entry.Open();
            await place.SawRestAsync(content);
        }
    }

    private static void Add(ZipArchive archive, string name, byte[] content)
    {
        ZipArchiveEntry entry = archive.CreateEntry(name, CompressionLevel.Fastest);
        entry.LastWriteTime = Workplace.Date;
        using Stream stream = entry.Open();
        stream.Write(content);
    }

    private static async Task ZipOfDotNet10Async(Workplace place)
    {
        await using (ZipArchive archive =
            await ZipArchive.CreateAsync(place.Create("b.zip"), ZipArchiveMode.Create, leaveOpen: false, Encoding.UTF8))
        {
            for (int i = 0; i < 5; i++)
            {
                ZipArchiveEntry entry = archive.CreateEntry($"\u00e4-{i}", CompressionLevel.NoCompression);
                entry.LastWriteTime = Workplace.Date;
                await using Stream stream = await entry.OpenAsync();
                await stream.WriteAsync(Workplace.Content(40_000, i + 1));
            }
        }

        await using ZipArchive read =
            await ZipArchive.CreateAsync(place.OpenRead("b.zip"), ZipArchiveMode.Read, leaveOpen: false, Encoding.UTF8);
        foreach (ZipArchiveEntry entry in read.Entries)
        {
            await using Stream stream = await entry.OpenAsync();
            await place.SawRestAsync(stream);
        }
    }

    private static void Resources(Workplace place)
    {
        using (ResourceWriter writer = new(place.Create("strings.resources")))
        {
            for (int i = 0; i < 300; i++)
            {
                writer.AddResource($"key {i}", $"value {i} {new string('r', i)}");
            }

            writer.AddResource("bytes", Workplace.Content(20_000));
        }

        using ResourceReader reader = new(place.OpenRead("strings.resources"));
        foreach (System.Collections.DictionaryEntry entry in reader.Cast<System.Collections.DictionaryEntry>()
            .OrderBy(e => (string)e.Key, StringComparer.Ordinal))
        {
            place.Saw($"{entry.Key}={(entry.Value is byte[] bytes ? bytes.Length : entry.Value)}");
        }
    }

    private static void ReadAssembly(Workplace place, Func<Stream, Stream> wrap)
    {
        File.Copy(typeof(SluiceFile).Assembly.Location, place.PathOf("library.dll"));
        using PEReader reader = new(wrap(place.OpenRead("library.dll")));
        MetadataReader metadata = reader.GetMetadataReader();
        place.Saw(metadata.TypeDefinitions.Count);
        place.Saw(string.Join(' ', metadata.TypeDefinitions.Select(t => metadata.GetString(metadata.GetTypeDefinition(t).Name))));
    }

    private static void BackPatch(Workplace place)
    {
        using (BinaryWriter writer = new(place.Create("chunks")))
        {
            for (int i = 0; i < 200; i++)
            {
                long start = writer.BaseStream.Position;
                writer.Write(0);
                writer.Write(Workplace.Content(i * 37, i + 1));
                long end = writer.BaseStream.Position;
                writer.Seek((int)start, SeekOrigin.Begin);
                writer.Write((int)(end - start));
                writer.Seek(0, SeekOrigin.End);
            }
        }

        using BinaryReader reader = new(place.OpenRead("chunks"));
        int chunks = 0;
        while (reader.BaseStream.Position < reader.BaseStream.Length)
        {
            int length = reader.ReadInt32();
            reader.BaseStream.Seek(length - 4, SeekOrigin.Current);
            chunks++;
        }

        place.Saw(chunks);
    }

    private static async Task MapAsync(Workplace place)
    {
        byte[] content = Workplace.Content(100_000);
        await using (Stream file = place.Create("mapped"))
        {
            await file.WriteAsync(content);
            await file.FlushAsync();
            Microsoft.Win32.SafeHandles.SafeFileHandle handle =
                file is SluiceStream own ? own.SafeFileHandle : ((FileStream)file).SafeFileHandle;
            using MemoryMappedFile map =
                MemoryMappedFile.CreateFromFile(handle, null, 0, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None,
                    leaveOpen: true);
            using MemoryMappedViewAccessor view = map.CreateViewAccessor();
            place.Saw(view.ReadInt64(50_000));
            view.Write(60_000, 0x0102030405060708L);
        }

        await using Stream again = place.OpenRead("mapped");
        await place.SawRestAsync(again);
    }

    private static async Task RandomRecordsAsync(Workplace place)
    {
        const int size = 100;
        const int count = 2000;
        Random random = new(11);
        await using Stream file = place.Create("records");
        file.SetLength(size * count);
        byte[] record = new byte[size];
        for (int i = 0; i < 3000; i++)
        {
            file.Position = random.Next(count) * size;
            if (random.Next(2) == 0)
            {
                await file.ReadExactlyAsync(record);
                place.Saw(record[0] + record[99]);
            }
            else
            {
                record.AsSpan().Fill((byte)random.Next(256));
                await file.WriteAsync(record);
            }

            if (i % 500 == 0)
            {
                await file.FlushAsync();
            }
        }
    }
}
