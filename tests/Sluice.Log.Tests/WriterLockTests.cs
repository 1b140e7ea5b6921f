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
        Skip.IfNot(OperatingSystem.IsLinux(), "Windows removes no file that is open, and others have no lock of a segment.");
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (int i = 0; i < records; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            for (int i = 0; i < 2; i++)
            {
                File.Delete(Path.Combine(folder.Log, LogFolder.LockName));
                Should.Throw<IOException>(() => SluiceLog.Open(folder.Log, SmallLog.Options)).Message.ShouldContain("another writer");
            }

            for (int i = records; i < records + 200; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            log.Flush();
        }

        using SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options);
        again.NextSequence.ShouldBe(records + 201);
        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void Another_log_in_the_place_of_the_folder_loses_no_file_to_the_writer_of_the_first(bool isClosedMeanwhile)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Windows renames no folder with open files, and others do not ask which it is.");
        using TempFolder folder = new();
        string moved = folder.Log + "-moved";
        SluiceLogOptions options = new()
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Preallocate = false,
            RetainSegments = 2,
        };
        SluiceLog first = SluiceLog.Open(folder.Log, options);
        for (int i = 0; i < 20; i++)
        {
            first.Append(Records.Make(0, i, 500), LogDurability.Durable);
        }

        Directory.Move(folder.Log, moved);
        SluiceLog second = SluiceLog.Open(folder.Log, SmallLog.Options);
        for (int i = 0; i < 100; i++)
        {
            second.Append(Records.Make(1, i, 500));
        }

        second.Flush();
        if (isClosedMeanwhile)
        {
            second.Dispose();
        }

        // Its folder is open, wherever that was moved.
        for (int i = 20; i < 100; i++)
        {
            first.Append(Records.Make(0, i, 500));
        }

        first.TruncateAfter(99);
        first.Dispose();
        second.Dispose();
        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
        Records.ReadAll(folder.Log).Count.ShouldBe(100);
        List<(long Sequence, byte[] Bytes)> left = Records.ReadAll(moved);
        Records.ShouldBeInOrder(left, left[0].Sequence, (int)left[0].Sequence - 1);
        left[^1].Sequence.ShouldBe(99);
    }

    /// <summary>Where locks are mandatory (SMB), reading is locking for a moment; the writer locks no byte that a file has.</summary>
    [SkippableFact]
    public void The_bytes_of_a_log_that_is_written_are_locked_by_nobody()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Locks of open files are Linux's here.");
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        log.Append("first"u8, LogDurability.Durable);
        foreach (string path in Directory.GetFiles(folder.Log))
        {
            using FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
            if (OperatingSystem.IsLinux())
            {
                file.Lock(0, 1L << 40);
            }
        }

        Should.Throw<IOException>(() => SluiceLog.Open(folder.Log, SmallLog.Options)).Message.ShouldContain("another writer");
    }

    /// <summary>A process that is just being started has a copy of each descriptor, until its own program begins.</summary>
    [SkippableFact]
    public void A_copy_of_a_descriptor_keeps_nobody_out_of_a_log_that_is_closed()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Locks of open files are Linux's here.");
        using TempFolder folder = new();
        List<int> copies = [];
        try
        {
            using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
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
            using SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options);
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
        Skip.IfNot(OperatingSystem.IsLinux(), "Windows has no such permissions.");
        const UnixFileMode mode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Preallocate = false,
            UnixCreateMode = mode,
        }))
        {
            log.Append(Records.Make(0, 0, 900), LogDurability.Durable);
            ShouldHaveMode();
            for (int i = 1; i < 20; i++)
            {
                log.Append(Records.Make(0, i, 900), LogDurability.Durable);
            }
        }

        ShouldHaveMode().ShouldBeGreaterThan(3);

        int ShouldHaveMode()
        {
            string[] files = Directory.GetFiles(folder.Log);
            files.ShouldContain(State(folder));
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

    private static string State(TempFolder folder) => Path.Combine(folder.Log, LogFolder.StateName);

    [LibraryImport("libc", EntryPoint = "dup")]
    private static partial int Copy(int fd);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int fd);
}
