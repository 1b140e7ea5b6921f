using Sluice.Kernel;
using Sluice.Tests.Shared;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Log.Tests;

/// <summary>What an append to a raw log asks the kernel for.</summary>
[Collection(nameof(AloneCollection))]
public sealed class RawCallTests : IDisposable
{
    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>The look after a write says where the file ends and whether it still has its name. Before a write there is another one
    /// only if time has passed since.</summary>
    [SkippableFact]
    public void A_written_record_is_one_write_and_a_look_at_the_file()
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(new SluiceLogOptions { Format = LogFormat.Raw, Durability = LogDurability.Written });
        log.Append("first\n"u8);
        List<string> calls = [];
        SystemCallSteps.UseOwn((call, _, _) =>
        {
            calls.Add(call);
            return 0;
        });
        log.Append("second\n"u8);
        SystemCallFaults.Use(null);
        calls.TakeLast(2).ShouldBe(["write", "statx"]);
        calls.SkipLast(2).ShouldBeSubsetOf(["statx"]);
        File.ReadAllText(folder.RawFiles.Single()).ShouldBe("first\nsecond\n");
    }

    /// <summary>Whoever appends waits for no flush where a file is followed by another one: the next sync flushes its name first.</summary>
    [SkippableFact]
    public void A_new_files_name_is_flushed_with_the_next_sync_and_not_before()
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(SmallLog.With(LogFormat.Raw));
        log.Append("first\n"u8, LogDurability.Durable);
        List<string> flushed = [];
        int appends = Environment.CurrentManagedThreadId;
        bool hasWaited = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call is "fsync" or "fdatasync")
            {
                lock (flushed)
                {
                    flushed.Add(Libc.TypeOf(fd) == Statx.TypeDirectory ? "folder" : "file");
                    if (Environment.CurrentManagedThreadId == appends)
                    {
                        hasWaited = true;
                    }

                }
            }

            return 0;
        });
        try
        {
            log.AppendMany(0, 6, 900, LogDurability.Written);

            folder.RawFiles.Length.ShouldBe(2);
            hasWaited.ShouldBeFalse();

            // Or the keeper has flushed already, who sees to the full file.
            log.Flush();
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        flushed.ShouldBe(["folder", "file", "file"]);
    }

    [Fact]
    public void A_raw_file_that_was_made_longer_ago_than_SegmentAge_is_followed_by_another_one()
    {
        using TempFolder folder = new();
        TimeSpan age = TimeSpan.FromMilliseconds(1);
        using (SluiceLog log = folder.Open(SmallLog.With(LogFormat.Raw, segmentAge: age)))
        {
            log.Append("a"u8);
            Thread.Sleep(20);
            log.Append("b"u8);
            folder.RawFiles.Length.ShouldBe(2);
        }

        Thread.Sleep(20);
        using (SluiceLog log = folder.Open(SmallLog.With(LogFormat.Raw, segmentAge: age)))
        {
            log.Append("c"u8);
        }

        using (SluiceLog log = folder.Open(SmallLog.With(LogFormat.Raw, segmentAge: TimeSpan.FromDays(1))))
        {
            log.Append("d"u8);
        }

        folder.RawFiles.Select(File.ReadAllText).ShouldBe(["a", "b", "cd"]);
    }

    /// <summary>The file's own beginning counts, as far as the file system says it: not when it was written to last.</summary>
    [SkippableFact]
    public void A_raw_file_grows_old_from_its_making_on_whoever_writes_to_it()
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(SmallLog.With(LogFormat.Raw, segmentAge: TimeSpan.FromDays(1))))
        {
            log.Append("a"u8);
        }

        Skip.IfNot(HasBirthTime(folder.RawFiles.Single()), "the file system does not say when a file was made");
        using (SluiceLog log = folder.Open(SmallLog.With(LogFormat.Raw, segmentAge: TimeSpan.FromDays(1))))
        {
            log.Append("b"u8);
        }

        File.SetLastWriteTimeUtc(folder.RawFiles.Single(), DateTime.UtcNow.AddHours(1));
        using (SluiceLog log = folder.Open(SmallLog.With(LogFormat.Raw, segmentAge: TimeSpan.FromMilliseconds(1))))
        {
            log.Append("c"u8);
        }

        folder.RawFiles.Select(File.ReadAllText).ShouldBe(["ab", "c"]);
    }

    /// <summary>An append that failed, while somebody else's has come: what stands there is not this one's beginning.</summary>
    [Theory]
    [InlineData("other")]
    [InlineData("0123other")]
    [InlineData("0123")]
    public void What_others_append_beside_a_failure_is_not_taken_for_a_record_s_beginning(string meanwhile)
    {
        using TempFolder folder = new();
        DecidingEngine engine = new(number =>
        {
            if (number > 1)
            {
                return Interception.PassOn;
            }

            File.AppendAllText(folder.RawFiles.Single(), meanwhile);
            return Interception.Fail(FailingEngine.ENOSPC);
        });
        using (SluiceLog log = folder.Open(new SluiceLogOptions
        {
            Format = LogFormat.Raw,
            Engine = engine,
            Durability = LogDurability.Buffered,
            FlushInterval = TimeSpan.FromHours(1),
        }))
        {
            log.Append("0123456789"u8);
            engine.Begin();
            Should.Throw<IOException>(() => log.Flush()).HResult.ShouldBe(FailingEngine.ENOSPC);
            log.Flush();
        }

        string content = File.ReadAllText(folder.RawFiles.Single());
        content.ShouldBe(meanwhile + "0123456789");
    }

    private static bool HasBirthTime(string path)
    {
        if (!OperatingSystem.IsLinux())
        {
            return false;
        }

        using SluiceHandle file = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        return Libc.Stat(file.Descriptor, StatxMask.BasicStats | StatxMask.Btime, out Statx stat) == 0
            && (stat.Mask & StatxMask.Btime) != 0
            && stat.Btime.Seconds > 0;
    }
}
