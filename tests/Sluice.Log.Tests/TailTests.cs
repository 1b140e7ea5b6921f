using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>A reader that follows looks time and again at an end that is no record, with much reserved space behind it.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class TailTests
{
    private const long Reserved = 64 << 20;

    [SkippableFact]
    public void A_torn_frame_is_looked_at_without_the_space_behind_it()
    {
        using TempFolder folder = WithOneRecord(out string segment);
        long end = new FileInfo(segment).Length;
        using (FileStream file = new(segment, FileMode.Open))
        {
            file.SetLength(Reserved);
            file.Position = end;
            file.WriteByte(1);
        }

        using SluiceLogReader reader = folder.OpenReader(LogDurability.Written);
        reader.TryRead(out _).ShouldBeTrue();
        (long bytes, _) = Count(() =>
        {
            for (int i = 0; i < 20; i++)
            {
                reader.TryRead(out _).ShouldBeFalse();
            }
        });
        bytes.ShouldBeLessThan(Reserved);
        reader.Tail.ShouldBe(new SluiceLogCut(segment, end, 1, 2, "a frame's kind is unknown"));
    }

    /// <summary>As its writer leaves it, where that is killed before there is a header.</summary>
    [SkippableFact]
    public void A_file_without_a_header_is_not_read_page_by_page()
    {
        using TempFolder folder = WithOneRecord(out string segment);
        using (FileStream file = new(folder.PathOf("0000000002.slog"), FileMode.CreateNew))
        {
            file.SetLength(Reserved);
        }

        using SluiceLogReader reader = folder.OpenReader(LogDurability.Written);
        reader.TryRead(out _).ShouldBeTrue();
        (_, long calls) = Count(() => reader.TryRead(out _).ShouldBeFalse());
        calls.ShouldBeLessThan(Reserved / 4096 / 4);
        reader.Tail.ShouldBeNull();
    }

    private static TempFolder WithOneRecord(out string segment)
    {
        Linux.OrSkip();
        TempFolder folder = new();
        using (SluiceLog log = folder.Open())
        {
            log.Append(Records.Make(0, 0, 100));
        }

        segment = folder.Segments.ShouldHaveSingleItem();
        return folder;
    }

    /// <summary>What this thread asks the system to read, and how often.</summary>
    private static (long Bytes, long Calls) Count(Action action)
    {
        (long bytes, long calls) = (0, 0);
        SystemCallSteps.UseOwn((call, _, length) =>
        {
            if (call.StartsWith("pread", StringComparison.Ordinal))
            {
                bytes += length;
                calls++;
            }

            return 0;
        });
        try
        {
            action();
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        calls.ShouldBeGreaterThan(0);
        return (bytes, calls);
    }
}
