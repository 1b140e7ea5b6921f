using System.Buffers;
using System.IO.Compression;
using System.IO.Pipelines;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Sluice.Tests.Streams;

/// <summary>What programs put on top of a stream: the same bytes in the file, and the same values read, as over FileStream.</summary>
public sealed class StreamUsersTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<int, bool, FileCaching> Openings => StreamPair.Openings;

    public void Dispose() => _temp.Dispose();

    [Theory]
    [MemberData(nameof(Openings))]
    public Task StreamWriter_and_StreamReader_agree(int bufferSize, bool isAsync, FileCaching caching) =>
        CompareAsync(bufferSize, isAsync, caching,
        async stream =>
        {
            await using StreamWriter writer = new(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: true), 300);
            for (int i = 0; i < 400; i++)
            {
                writer.WriteLine($"line {i}, grün");
                await writer.WriteLineAsync(new string('x', i % 300));
                if (i % 50 == 0)
                {
                    await writer.FlushAsync();
                }
            }
        },
        async stream =>
        {
            using StreamReader reader = new(stream, Encoding.UTF8, detectEncodingFromByteOrderMarks: true, 200);
            StringBuilder seen = new();
            for (int i = 0; i < 100; i++)
            {
                seen.AppendLine(reader.ReadLine()).Append((char)reader.Read()).AppendLine(await reader.ReadLineAsync());
            }

            return seen.Append(await reader.ReadToEndAsync()).ToString();
        });

    [Theory]
    [MemberData(nameof(Openings))]
    public Task BinaryWriter_and_BinaryReader_agree(int bufferSize, bool isAsync, FileCaching caching) =>
        CompareAsync(bufferSize, isAsync, caching,
        stream =>
        {
            using BinaryWriter writer = new(stream);
            for (int i = 0; i < 1_000; i++)
            {
                writer.Write(i);
                writer.Write((double)i / 3);
                writer.Write("text " + i);
                writer.Write(Bytes.Pattern(i % 70));
                if (i % 100 == 7)
                {
                    // Back to what was written, as formats with a length in front do.
                    long position = stream.Position;
                    writer.Seek(4, SeekOrigin.Begin);
                    writer.Write((long)i);
                    writer.Seek((int)position, SeekOrigin.Begin);
                }
            }

            return Task.CompletedTask;
        },
        stream =>
        {
            using BinaryReader reader = new(stream);
            StringBuilder seen = new();
            for (int i = 0; i < 1_000; i++)
            {
                seen.Append(reader.ReadInt32()).Append(' ').Append(reader.ReadDouble()).Append(reader.ReadString());
                seen.Append(Convert.ToHexString(reader.ReadBytes(i % 70)));
            }

            return Task.FromResult(seen.Append(reader.PeekChar()).ToString());
        });

    [Theory]
    [MemberData(nameof(Openings))]
    public Task GZipStream_agrees(int bufferSize, bool isAsync, FileCaching caching) => CompareAsync(bufferSize, isAsync, caching,
        async stream =>
        {
            await using GZipStream zip = new(stream, CompressionLevel.Fastest);
            zip.Write(Bytes.Pattern(50_000));
            for (int i = 0; i < 50; i++)
            {
                await zip.WriteAsync(RandomNumberOf(i, 1_000));
            }
        },
        async stream =>
        {
            using GZipStream zip = new(stream, CompressionMode.Decompress);
            byte[] head = new byte[777];
            zip.ReadExactly(head);
            using MemoryStream rest = new();
            await zip.CopyToAsync(rest);
            return Convert.ToHexString(head) + Convert.ToHexString(rest.ToArray());
        });

    [Theory]
    [MemberData(nameof(Openings))]
    public Task JsonSerializer_agrees(int bufferSize, bool isAsync, FileCaching caching) => CompareAsync(bufferSize, isAsync, caching,
        async stream =>
        {
            await using (stream)
            {
                Dictionary<string, int[]> value = Enumerable.Range(0, 500).ToDictionary(i => $"key {i}", i => new int[i % 40]);
                await JsonSerializer.SerializeAsync(stream, value);
            }
        },
        async stream =>
        {
            Dictionary<string, int[]>? value = await JsonSerializer.DeserializeAsync<Dictionary<string, int[]>>(stream);
            return string.Join(',', value!.Select(p => p.Key + p.Value.Length));
        });

    [Theory]
    [MemberData(nameof(Openings))]
    public Task PipeWriter_and_PipeReader_agree(int bufferSize, bool isAsync, FileCaching caching) =>
        CompareAsync(bufferSize, isAsync, caching,
        async stream =>
        {
            PipeWriter writer = PipeWriter.Create(stream);
            for (int i = 0; i < 100; i++)
            {
                Bytes.Pattern(i * 7).CopyTo(writer.GetSpan(1_000));
                writer.Advance(i * 7);
                await writer.FlushAsync();
            }

            await writer.CompleteAsync();
        },
        async stream =>
        {
            PipeReader reader = PipeReader.Create(stream);
            List<byte> seen = [];
            while (true)
            {
                ReadResult result = await reader.ReadAsync();
                seen.AddRange(result.Buffer.ToArray());
                reader.AdvanceTo(result.Buffer.End);
                if (result.IsCompleted)
                {
                    break;
                }
            }

            await reader.CompleteAsync();
            return Convert.ToHexString(seen.ToArray());
        });

    [Theory]
    [MemberData(nameof(Openings))]
    public Task ZipArchive_agrees(int bufferSize, bool isAsync, FileCaching caching) => CompareAsync(bufferSize, isAsync, caching,
        async stream =>
        {
            // Creating seeks back to each entry's header; updating reads all, cuts the file and writes it anew.
            using (ZipArchive archive = new(stream, ZipArchiveMode.Create, leaveOpen: true))
            {
                for (int i = 0; i < 8; i++)
                {
                    ZipArchiveEntry entry = archive.CreateEntry($"entry {i}");
                    entry.LastWriteTime = new DateTimeOffset(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);
                    await using Stream content = entry.Open();
                    await content.WriteAsync(RandomNumberOf(i, 3_000 * i));
                }
            }

            stream.Position = 0;
            using ZipArchive again = new(stream, ZipArchiveMode.Update);
            again.GetEntry("entry 3")!.Delete();
            ZipArchiveEntry added = again.CreateEntry("added");
            added.LastWriteTime = new DateTimeOffset(2021, 1, 1, 0, 0, 0, TimeSpan.Zero);
            await using Stream more = added.Open();
            more.Write(Bytes.Pattern(10_000));
        },
        async stream =>
        {
            using ZipArchive archive = new(stream, ZipArchiveMode.Read);
            StringBuilder seen = new();
            foreach (ZipArchiveEntry entry in archive.Entries)
            {
                await using Stream content = entry.Open();
                seen.Append(entry.FullName).Append(Convert.ToHexString(await SHA256.HashDataAsync(content)));
            }

            return seen.ToString();
        });

    [Theory]
    [MemberData(nameof(Openings))]
    public Task SHA256_agrees(int bufferSize, bool isAsync, FileCaching caching) => CompareAsync(bufferSize, isAsync, caching,
        async stream =>
        {
            await using (stream)
            {
                await new MemoryStream(RandomNumberOf(9, 200_003)).CopyToAsync(stream);
            }
        },
        async stream =>
        {
            byte[] whole = await SHA256.HashDataAsync(stream);
            stream.Position = 1_000;
            return Convert.ToHexString(whole) + Convert.ToHexString(SHA256.HashData(stream));
        });

    private static byte[] RandomNumberOf(int seed, int length)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }

    /// <summary>Writes a file through each stream, compares the bytes, then reads FileStream's file through each.</summary>
    private async Task CompareAsync(int bufferSize, bool isAsync, FileCaching caching, Func<Stream, Task> write, Func<Stream,
        Task<string>> read)
    {
        StreamConfiguration configuration = new(FileMode.Create, FileAccess.ReadWrite, FileShare.Read, bufferSize, isAsync, "own", caching);
        (string theirs, string own) = (_temp.NewPath(), _temp.NewPath());
        await using (Stream stream = configuration.OpenTheirs(theirs, FileMode.Create).Stream)
        {
            await write(stream);
        }

        await using (Stream stream = configuration.OpenOwn(own, FileMode.Create).Stream)
        {
            await write(stream);
        }

        byte[] expected = await File.ReadAllBytesAsync(theirs);
        expected.Length.ShouldBeGreaterThan(1_000);
        (await File.ReadAllBytesAsync(own)).ShouldBeBytes(expected, configuration.ToString());
        string values;
        await using (Stream stream = configuration.OpenTheirs(theirs, FileMode.Open).Stream)
        {
            values = await read(stream);
        }

        await using Stream reading = configuration.OpenOwn(theirs, FileMode.Open).Stream;
        (await read(reading) == values).ShouldBeTrue(configuration.ToString());
    }
}
