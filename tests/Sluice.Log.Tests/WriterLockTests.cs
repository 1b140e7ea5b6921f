using System.Runtime.InteropServices;
using Sluice.Log.Folders;
using Sluice.Tests.Shared;

namespace Sluice.Log.Tests;

/// <summary>A log has one writer, whatever somebody does to its folder meanwhile.</summary>
public sealed partial class WriterLockTests
{
    [SkippableTheory]
    [InlineData(1)]
    [InlineData(100)]
    public void Deleting_the_lock_file_admits_no_second_writer(int records)
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, records);

            for (int i = 0; i < 2; i++)
            {
                File.Delete(folder.PathOf(LogFolder.LockName));
                Should.Throw<IOException>(() => folder.Open(SmallLog.Options)).Message.ShouldContain("another writer");
            }

            log.AppendMany(records, 200);
            log.Flush();
        }

        using SluiceLog again = folder.Open(SmallLog.Options);
        again.NextSequence.ShouldBe(records + 201);
        Records.ShouldBeInOrder(folder.ReadAll(), 1, 0);
    }

    [SkippableFact]
    public void Another_log_in_the_place_of_the_folder_loses_no_file_to_the_writer_of_the_first()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        string moved = folder.Log + "-moved";
        SluiceLogOptions options = SmallLog.With(o => o.RetainSegments = 2);
        SluiceLog first = folder.Open(options);
        first.AppendMany(0, 20, 500, LogDurability.Durable);

        Directory.Move(folder.Log, moved);
        SluiceLog second = folder.Open(SmallLog.Options);
        second.AppendMany(0, 100, 500, writer: 1);

        second.Flush();

        // Its folder is open, wherever that was moved.
        first.AppendMany(20, 80, 500);

        first.TruncateAfter(99);
        first.Dispose();
        second.Dispose();
        folder.ShouldHave(100);
        List<(long Sequence, byte[] Bytes)> left = Records.ReadAll(moved);
        Records.ShouldBeInOrder(left, left[0].Sequence, (int)left[0].Sequence - 1);
        left[^1].Sequence.ShouldBe(99);
    }

    /// <summary>Where locks are mandatory (SMB), reading is locking for a moment; the writer locks no byte that a file has.</summary>
    [SkippableFact]
    public void The_bytes_of_a_log_that_is_written_are_locked_by_nobody()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.Append("first"u8, LogDurability.Durable);
        foreach (string path in folder.Files)
        {
            using FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
            if (OperatingSystem.IsLinux())
            {
                file.Lock(0, 1L << 40);
            }
        }

        Should.Throw<IOException>(() => folder.Open(SmallLog.Options)).Message.ShouldContain("another writer");
    }

    /// <summary>A process that is just being started has a copy of each descriptor, until its own program begins.</summary>
    [SkippableFact]
    public void A_copy_of_a_descriptor_keeps_nobody_out_of_a_log_that_is_closed()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        List<int> copies = [];
        try
        {
            using (SluiceLog log = folder.Open(SmallLog.Options))
            {
                log.Append("first"u8, LogDurability.Durable);
                foreach ((string link, string target) in OpenFiles.All())
                {
                    if (OpenFiles.IsIn(folder.Log, target))
                    {
                        copies.Add(Copy(int.Parse(Path.GetFileName(link))));
                    }
                }
            }

            copies.Count.ShouldBeGreaterThan(1);
            using SluiceLog again = folder.Open(SmallLog.Options);
            again.Append("second"u8).ShouldBe(2);
        }
        finally
        {
            foreach (int copy in copies)
            {
                _ = Close(copy);
            }
        }
    }

    [SkippableFact]
    public void Each_file_has_the_permissions_that_were_asked_for()
    {
        Linux.OrSkip();
        const UnixFileMode mode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(SmallLog.With(o => o.UnixCreateMode = mode)))
        {
            log.Append(Records.Make(0, 0, 900), LogDurability.Durable);
            ShouldHaveMode();
            log.AppendMany(1, 19, 900, LogDurability.Durable);
        }

        ShouldHaveMode().ShouldBeGreaterThan(3);

        int ShouldHaveMode()
        {
            string[] files = folder.Files;
            files.ShouldContain(folder.PathOf(LogFolder.StateName));
            foreach (string file in files)
            {
                if (OperatingSystem.IsLinux())
                {
                    File.GetUnixFileMode(file).ShouldBe(mode, file);
                }
            }

            return files.Length;
        }
    }

    [LibraryImport("libc", EntryPoint = "dup")]
    private static partial int Copy(int fd);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int fd);
}
