using System.Buffers;
using System.Formats.Tar;
using System.IO.Compression;
using System.IO.Pipelines;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Xml;
using System.Xml.Linq;
using Sluice.Clients.Tests.Support;

namespace Sluice.Clients.Tests.Clients;

/// <summary>The framework's own: what goes through a stream from its front to its back.</summary>
internal static class FrameworkClients
{
    private sealed record Person(string Name, int Age, double[] Values);

    public static IReadOnlyList<Client> All { get; } =
    [
        new Client("GZip", place => CompressAsync(place, s => new GZipStream(s, CompressionLevel.Fastest),
            s => new GZipStream(s, CompressionMode.Decompress))),
        new Client("Brotli", place => CompressAsync(place, s => new BrotliStream(s, CompressionLevel.Fastest),
            s => new BrotliStream(s, CompressionMode.Decompress))),
        new Client("Deflate, byte by byte", place => CompressAsync(place, s => new DeflateStream(s, CompressionLevel.Fastest),
            s => new DeflateStream(s, CompressionMode.Decompress), piece: 1, size: 30_000)),
        new Client("CryptoStream", CryptAsync),
        new Client("XmlWriter and XDocument", XmlAsync),
        new Client("Json, streamed", JsonAsync),
        new Client("Pipelines", PipelinesAsync),
        new Client("StreamWriter and StreamReader", TextAsync),
        new Client("BinaryWriter and BinaryReader", Binary),
        new Client("BufferedStream", Buffered),
        new Client("hashes", HashAsync),
        new Client("CopyTo, both ways", CopyAsync),
        new Client("Tar", TarAsync),
    ];

    private static async Task CompressAsync(Workplace place, Func<Stream, Stream> compress, Func<Stream, Stream> decompress,
        int piece = 10_007, int size = Workplace.Size)
    {
        byte[] content = Workplace.Content(size);
        await using (Stream file = place.Create("packed"))
        {
            await using Stream packed = compress(file);
            for (int at = 0; at < size; at += piece)
            {
                await packed.WriteAsync(content.AsMemory(at, Math.Min(piece, size - at)));
            }
        }

        await using Stream source = place.OpenRead("packed");
        await using Stream unpacked = decompress(source);
        await place.SawRestAsync(unpacked);
    }

    private static async Task CryptAsync(Workplace place)
    {
        using Aes aes = Aes.Create();
        aes.Key = Workplace.Content(32, 2);
        aes.IV = Workplace.Content(16, 3);
        await using (CryptoStream secret = new(place.Create("secret"), aes.CreateEncryptor(), CryptoStreamMode.Write))
        {
            await secret.WriteAsync(Workplace.Content());
        }

        await using CryptoStream plain = new(place.OpenRead("secret"), aes.CreateDecryptor(), CryptoStreamMode.Read);
        await place.SawRestAsync(plain);
    }

    private static async Task XmlAsync(Workplace place)
    {
        await using (Stream file = place.Create("data.xml"))
        {
            await using XmlWriter writer = XmlWriter.Create(file, new XmlWriterSettings { Async = true, Indent = true });
            await writer.WriteStartElementAsync(null, "root", null);
            for (int i = 0; i < 5000; i++)
            {
                await writer.WriteElementStringAsync(null, "item", null, $"value {i} \u00e4\u20ac");
            }

            await writer.WriteEndElementAsync();
        }

        await using (Stream file = place.OpenRead("data.xml"))
        {
            XDocument document = await XDocument.LoadAsync(file, LoadOptions.None, CancellationToken.None);
            place.Saw(document.Root!.Elements().Count());
            document.Root.Add(new XElement("last"));
            await using Stream again = place.Create("again.xml");
            await document.SaveAsync(again, SaveOptions.None, CancellationToken.None);
        }

        await using Stream source = place.OpenRead("again.xml");
        using XmlReader reader = XmlReader.Create(source);
        int nodes = 0;
        while (reader.Read())
        {
            nodes++;
        }

        place.Saw(nodes);
    }

    private static async Task JsonAsync(Workplace place)
    {
        Person[] people = [.. Enumerable.Range(0, 3000).Select(i => new Person($"name {i}", i % 90, [i, i * 0.5, -i]))];
        await using (Stream file = place.Create("people.json"))
        {
            await JsonSerializer.SerializeAsync(file, people);
        }

        await using (Stream file = place.OpenRead("people.json"))
        {
            int count = 0;
            await foreach (Person? person in JsonSerializer.DeserializeAsyncEnumerable<Person>(file))
            {
                count += person!.Values.Length;
            }

            place.Saw(count);
        }

        await using (Stream file = place.OpenRead("people.json"))
        {
            using JsonDocument document = await JsonDocument.ParseAsync(file);
            place.Saw(document.RootElement[2999].GetRawText());
        }
    }

    private static async Task PipelinesAsync(Workplace place)
    {
        await using (Stream file = place.Create("piped"))
        {
            PipeWriter writer = PipeWriter.Create(file);
            for (int i = 0; i < 2000; i++)
            {
                Encoding.UTF8.GetBytes($"line {i} {new string('x', i % 300)}\n", writer);
                if (i % 7 == 0)
                {
                    await writer.FlushAsync();
                }
            }

            await writer.CompleteAsync();
        }

        PipeReader reader = PipeReader.Create(place.OpenRead("piped"));
        long lines = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync();
            ReadOnlySequence<byte> buffer = result.Buffer;
            while (buffer.PositionOf((byte)'\n') is { } end)
            {
                lines++;
                buffer = buffer.Slice(buffer.GetPosition(1, end));
            }

            reader.AdvanceTo(buffer.Start, buffer.End);
            if (result.IsCompleted)
            {
                break;
            }
        }

        await reader.CompleteAsync();
        place.Saw(lines);
    }

    private static async Task TextAsync(Workplace place)
    {
        foreach (Encoding encoding in (Encoding[])[new UTF8Encoding(true), Encoding.Unicode, Encoding.Latin1])
        {
            string name = $"text-{encoding.WebName}";
            await using (StreamWriter writer = new(place.Create(name), encoding))
            {
                for (int i = 0; i < 4000; i++)
                {
                    await writer.WriteLineAsync($"line {i} \u00e9 {new string('z', i % 200)}");
                }
            }

            using StreamReader reader = new(place.OpenRead(name), encoding);
            place.Saw(await reader.ReadLineAsync());
            string rest = await reader.ReadToEndAsync();
            place.SawBytes(Encoding.UTF8.GetBytes(rest));
            reader.BaseStream.Seek(0, SeekOrigin.Begin);
            reader.DiscardBufferedData();
            place.Saw(reader.ReadLine());
        }
    }

    private static void Binary(Workplace place)
    {
        using (BinaryWriter writer = new(place.Create("binary")))
        {
            for (int i = 0; i < 20_000; i++)
            {
                writer.Write(i);
                writer.Write7BitEncodedInt(i);
                writer.Write($"text {i % 100}");
                writer.Write(i * 0.25);
            }
        }

        using BinaryReader reader = new(place.OpenRead("binary"));
        double sum = 0;
        while (reader.BaseStream.Position < reader.BaseStream.Length)
        {
            sum += reader.ReadInt32() + reader.Read7BitEncodedInt() + reader.ReadString().Length + reader.ReadDouble();
        }

        place.Saw(sum);
    }

    private static void Buffered(Workplace place)
    {
        using (BufferedStream buffered = new(place.Create("buffered"), 1000))
        {
            byte[] content = Workplace.Content(50_000);
            for (int i = 0; i < 5000; i += 7)
            {
                buffered.Write(content, i, 7);
                buffered.Seek(-2, SeekOrigin.Current);
            }

            buffered.Position = 100;
            place.Saw(buffered.ReadByte());
            buffered.WriteByte(9);
            buffered.SetLength(3000);
        }

        using Stream file = place.OpenRead("buffered");
        place.Saw(file.Length);
    }

    private static async Task HashAsync(Workplace place)
    {
        await using (Stream file = place.Create("hashed"))
        {
            await file.WriteAsync(Workplace.Content());
            file.Position = 0;
            place.Saw(Convert.ToHexString(await SHA256.HashDataAsync(file)));
        }

        await using Stream again = place.OpenRead("hashed");
        using SHA512 sha = SHA512.Create();
        place.Saw(Convert.ToHexString(await sha.ComputeHashAsync(again)));
    }

    private static async Task CopyAsync(Workplace place)
    {
        await using (Stream file = place.Create("source"))
        {
            await file.WriteAsync(Workplace.Content());
        }

        await using (Stream source = place.OpenRead("source"))
        await using (Stream target = place.Create("target"))
        {
            source.Position = 12_345;
            await target.WriteAsync(Workplace.Content(777));
            await source.CopyToAsync(target);
            place.Saw($"{source.Position} {target.Position}");
            source.Position = 690_000;
            source.CopyTo(target, 4096);
            place.Saw(target.Length);
        }
    }

    private static async Task TarAsync(Workplace place)
    {
        await using (Stream file = place.Create("archive.tar"))
        {
            await using TarWriter writer = new(file, TarEntryFormat.Pax);
            for (int i = 0; i < 20; i++)
            {
                PaxTarEntry entry = new(TarEntryType.RegularFile, $"folder/file-{i}")
                {
                    DataStream = new MemoryStream(Workplace.Content(i * 1000, i + 1)),
                    ModificationTime = Workplace.Date,
                };
                await writer.WriteEntryAsync(entry);
            }
        }

        await using Stream source = place.OpenRead("archive.tar");
        await using TarReader reader = new(source);
        while (await reader.GetNextEntryAsync() is { } entry)
        {
            place.Saw(entry.Name);
            if (entry.DataStream is { } data)
            {
                await place.SawRestAsync(data);
            }
        }
    }
}
