using Sluice.Log.Folders;
using Sluice.Tests.Shared;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>An opening flushes the names of new folders, refuses a second writer and does not read reserved space.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class OpeningTests : IDisposable
{
    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>One opening makes the folders and appends nothing; the next one finds them and appends.</summary>
    [SkippableTheory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void The_names_of_new_folders_are_flushed_before_a_record_is_durable_whichever_opening_made_them(LogFormat format)
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        string parent = Path.Combine(folder.Root, "a", "b");
        string directory = Path.Combine(parent, "log");
        HashSet<string> flushed = [];
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call == "fsync")
            {
                lock (flushed)
                {
                    flushed.Add(OpenFiles.NameOf(fd));
                }
            }

            return 0;
        });
        SluiceLog.Open(directory, SmallLog.With(format)).Dispose();
        using (SluiceLog log = SluiceLog.Open(directory, SmallLog.With(format)))
        {
            log.Append("record"u8, LogDurability.Durable);
        }

        SystemCallFaults.Use(null);
        string[] folders = [folder.Root, Path.Combine(folder.Root, "a"), parent, directory];
        folders.Except(flushed).ShouldBeEmpty("not flushed");
    }

    /// <summary>The first segment has a header that is not on the disk yet, and a lock.</summary>
    [SkippableFact]
    public void A_new_log_without_records_keeps_a_second_writer_out_though_its_lock_file_is_deleted()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.Options);
        File.Delete(folder.PathOf("log.lock"));
        Should.Throw<IOException>(() => folder.Open(SmallLog.Options)).Message.ShouldContain("another writer");
        log.Append("one"u8, LogDurability.Durable).ShouldBe(1);
        folder.ReadAll().Count.ShouldBe(1);
    }

    /// <summary>Space that a killed process had reserved for its segment.</summary>
    [SkippableFact]
    public void Reserved_space_is_not_read()
    {
        Linux.OrSkip();
        const int reserved = 32 << 20;
        using TempFolder folder = new();
        SluiceLogOptions options = SmallLog.With(static o => (o.SegmentBytes, o.Preallocate) = (reserved, true));
        SluiceLog killed = folder.Open(options);
        killed.AppendMany(0, 10);
        SystemCallFaults.Use(static (call, _, _) => call is "ftruncate" or "unlinkat" ? -5 : 0);
        Should.Throw<IOException>(killed.Dispose);
        SystemCallFaults.Use(null);
        new FileInfo(folder.Segments[0]).Length.ShouldBe(reserved);
        using (SluiceHandle segment = LogFile.OpenToRead(folder.Segments[0]))
        {
            Skip.If(LogFile.ListData(segment, 0).Sum(static r => r.To - r.From) > reserved / 4, "the file system counts reserved space as data");
        }

        long read = 0;
        SystemCallFaults.Use((call, _, length) =>
        {
            if (call == "pread")
            {
                Interlocked.Add(ref read, length);
            }

            return 0;
        });
        using SluiceLog log = folder.Open(options);
        SystemCallFaults.Use(null);
        log.NextSequence.ShouldBe(11);
        log.Cut.ShouldBeNull();
        read.ShouldBeLessThan(reserved / 2);
    }
}
