using System.IO.Compression;
using Sluice.Log.Frames;

namespace Sluice.Log.Tests.Support;

/// <summary>Some threads of one process of several that append lines to one raw log.</summary>
internal static class RawProgram
{
    public static int Run(string directory, int writer, int threads, int count, CompressionLevel compression, long segmentBytes)
    {
        // Every second process leaves it to its exit to write what is buffered.
        bool isDisposedAtExit = writer % 2 == 0;
        SluiceLog log = SluiceLog.Open(directory, new SluiceLogOptions
        {
            DisposeOnProcessExit = isDisposedAtExit,
            FlushInterval = TimeSpan.FromHours(1),
            Format = LogFormat.Raw,
            Durability = LogDurability.Buffered,
            Compression = compression,
            SegmentBytes = segmentBytes,
            MaxRecordBytes = 64 * 1024,
            BufferBytes = 512 * 1024,
        });

        // All begin together, once all have started.
        Console.WriteLine("ready");
        _ = Console.ReadLine();
        Thread[] all = new Thread[threads];
        for (int t = 0; t < threads; t++)
        {
            int id = (writer * threads) + t;
            all[t] = new Thread(() =>
            {
                for (int i = 0; i < count; i++)
                {
                    log.Append(Line(id, i), i % 64 == 0 ? LogDurability.Written : LogDurability.Buffered);
                }
            });
            all[t].Start();
        }

        foreach (Thread thread in all)
        {
            thread.Join();
        }

        if (!isDisposedAtExit)
        {
            log.Dispose();
        }

        return 0;
    }

    /// <summary>Writer, number, text of a length of its own, and a sum over all of it.</summary>
    public static byte[] Line(int writer, int number)
    {
        string text = $"{writer} {number} {new string((char)('a' + (number % 26)), (writer + (number * 31)) % 180)}";
        uint crc = Crc32C.Append(Crc32C.Begin, System.Text.Encoding.ASCII.GetBytes(text));
        return System.Text.Encoding.ASCII.GetBytes($"{text} {crc:x8}\n");
    }

    /// <summary>Writer and number of a line that is whole.</summary>
    public static (int Writer, int Number) Check(string line)
    {
        string[] parts = line.Split(' ');
        parts.Length.ShouldBe(4, line);
        (int writer, int number) = (int.Parse(parts[0]), int.Parse(parts[1]));
        (line + "\n").ShouldBe(System.Text.Encoding.ASCII.GetString(Line(writer, number)));
        return (writer, number);
    }
}
