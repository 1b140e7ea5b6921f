using System.Buffers;
using System.Formats.Tar;
using System.IO.Compression;
using System.IO.Pipelines;
using System.Text;
using Sluice.Clients.Tests.Support;

namespace Sluice.Clients.Tests.Clients;

/// <summary>The framework's own: what goes through a stream from its front to its back.</summary>
internal static class FrameworkClients
{
    public static IReadOnlyList<Client> All { get; } =
    [
        new Client("GZip", GZipAsync),
        new Client("Pipelines", PipelinesAsync),
        new Client("StreamWriter and StreamReader", TextAsync),
        new Client("BufferedStream", Buffered),
        new Client("CopyTo, both ways", CopyAsync),
        new Client("Tar", TarAsync),
    ];

    private static async Task GZipAsync(Workplace place)
    {
        await using (GZipStream packed = new(place.Create("packed"), CompressionLevel.Fastest))
        {
            foreach (byte[] piece in Workplace.Content().Chunk(10_007))
            {
                await packed.WriteAsync(piece);
            }
        }

        await using GZipStream unpacked = new(place.OpenRead("packed"), CompressionMode.Decompress);
        await place.SawRestAsync(unpacked);
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
