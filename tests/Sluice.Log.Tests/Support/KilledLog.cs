using Sluice.Log.Frames;

namespace Sluice.Log.Tests.Support;

/// <summary>A log of one segment as a killed process leaves it: each record has a frame of its own.</summary>
internal sealed class KilledLog
{
    /// <param name="folder">Where it is to be.</param>
    /// <param name="records">Its records.</param>
    /// <param name="durability">The durability of each append.</param>
    public KilledLog(TempFolder folder, IEnumerable<byte[]> records, LogDurability durability = LogDurability.Written)
    {
        string written = System.IO.Path.Combine(folder.Root, "written");
        SluiceLogOptions options = new() { Preallocate = false, MaxRecordBytes = 4 << 20, FlushInterval = TimeSpan.FromHours(1) };
        using (SluiceLog log = SluiceLog.Open(written, options))
        {
            foreach (byte[] record in records)
            {
                log.Append(record, durability);
            }

            FolderImage.Copy(written, folder.Log);
        }

        Path = folder.PathOf("0000000001.slog");
        Bytes = File.ReadAllBytes(Path);
        for (int at = LogLayout.HeaderBytes; at < Bytes.Length;)
        {
            FrameHeader header = LogLayout.ReadFrameHeader(Bytes.AsSpan(at));
            if (header.Kind == FrameKind.Records)
            {
                Frames.Add(at);
            }

            at += header.FrameBytes;
        }
    }

    public KilledLog(TempFolder folder, int count, LogDurability durability = LogDurability.Written)
        : this(folder, Enumerable.Range(0, count).Select(static i => Records.Make(0, i, 20 + i)), durability) => Frames.Count.ShouldBe(count);

    /// <summary>The path of the segment.</summary>
    public string Path { get; }

    /// <summary>The content of the segment as it was written.</summary>
    public byte[] Bytes { get; }

    /// <summary>The offsets of the frames of records.</summary>
    public List<int> Frames { get; } = [];

    /// <summary>Writes the segment with one bit flipped, and returns what it has then.</summary>
    public byte[] Flip(int at, byte bit = 1)
    {
        byte[] flipped = [.. Bytes];
        flipped[at] ^= bit;
        File.WriteAllBytes(Path, flipped);
        return flipped;
    }
}
