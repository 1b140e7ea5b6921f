using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>A segment that was full when its process was killed, and had no footer yet.</summary>
public sealed class UnsealedTests
{
    private const int Count = 60;
    private const long Reserved = 1 << 20;

    /// <summary>With the space that was reserved for it, it would count as large, and older ones be removed for that.</summary>
    [Fact]
    public void It_gives_its_space_back_and_gets_its_footer_when_the_log_is_opened()
    {
        using TempFolder folder = new(isInMemory: true);
        (string path, byte[] whole, int footer) = Leave(folder);
        using (SluiceLog log = folder.Open(Options(retainBytes: Reserved / 2)))
        {
            new FileInfo(path).Length.ShouldBeInRange(footer, whole.Length);
            log.Append(Records.Make(0, Count, 50), LogDurability.Durable);
        }

        File.ReadAllBytes(path).ShouldBe(whole);
        folder.ShouldHave(Count + 1);
    }

    /// <summary>As a kill leaves the first of a log's segments: what it is when it is sealed, and where its footer is then.</summary>
    private static (string Path, byte[] Whole, int Footer) Leave(TempFolder folder)
    {
        SmallLog log = new(Count, isDurable: true);
        string first = log.First;
        first.ShouldNotBe(log.Last);
        log.WriteTo(folder.Log);
        string path = folder.PathOf(first);
        int footer = (int)Segment.Read(path, 1).ShouldNotBeNull().FooterOffset;
        footer.ShouldBeGreaterThan(0);
        using FileStream file = new(path, FileMode.Open);
        file.SetLength(footer);
        file.SetLength(Reserved);
        return (path, log.Files[first], footer);
    }

    private static SluiceLogOptions Options(long? retainBytes = null) => new()
    {
        SegmentBytes = SmallLog.Options.SegmentBytes,
        MaxRecordBytes = SmallLog.Options.MaxRecordBytes,
        BufferBytes = SmallLog.Options.BufferBytes,
        Preallocate = false,
        Durability = LogDurability.Written,
        RetainBytes = retainBytes,
    };
}
