using System.Collections.Concurrent;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Which system calls are made, of what and how often, and what is said of one that fails.</summary>
public sealed class CallTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(1000);

    /// <summary>A program that was killed may have left them written and not synced; what is appended now stands on them.</summary>
    [LinuxFact]
    public void What_is_found_of_a_log_is_made_durable_when_it_is_opened_with_its_folder()
    {
        string folder = Temp.NewPath();
        SluiceLogOptions options = new() { SegmentBytes = 4096, MaxRecordBytes = 1000, BufferBytes = 4000, Preallocate = false };
        using (SluiceLog log = SluiceLog.Open(folder, options))
        {
            for (int i = 0; i < 100; i++)
            {
                log.Append(Content.AsSpan(i, 100));
            }
        }

        string[] segments = Directory.GetFiles(folder, "*.slog");
        segments.Length.ShouldBeGreaterThan(2);
        ConcurrentBag<string> flushed = [];
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call == "fsync")
            {
                flushed.Add(OpenFiles.NameOf(fd));
            }

            return 0;
        });
        using (SluiceLog.Open(folder, options))
        {
            SystemCallFaults.Use(null);
        }

        segments.Append(folder).Except(flushed).ShouldBeEmpty("not flushed");
    }
}
