using System.Runtime.InteropServices;
using Sluice.Log.Folders;
using Sluice.Tests.Shared;

namespace Sluice.Log.Tests;

/// <summary>A log has one writer, whatever somebody does to its folder meanwhile.</summary>
public sealed partial class WriterLockTests
{
    [SkippableTheory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100)]
    public void Whoever_removes_the_state_lets_no_second_writer_in(int records)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Windows removes no file that is open, and others have no lock of a segment.");
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (int i = 0; i < records; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            File.Delete(State(folder));
            for (int i = 0; i < 2; i++)
            {
                // The second time there is the state file of whom was refused.
                Should.Throw<IOException>(() => SluiceLog.Open(folder.Log, SmallLog.Options)).Message.ShouldContain("another writer");
            }

            for (int i = records; i < records + 200; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            log.Flush();
        }

        LogState.TryRead(State(folder)).ShouldNotBeNull().DurableSequence.ShouldBe(records + 200);
        using SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options);
        again.NextSequence.ShouldBe(records + 201);
        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
    }

    [SkippableFact]
    public async Task A_writer_that_goes_from_segment_to_segment_is_never_joined_by_another()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Windows removes no file that is open, and others have no lock of a segment.");
        using TempFolder folder = new(isInMemory: true);
        int number = 0;
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            log.Append(Records.Make(0, number++, 900));
            bool ends = false;
            Task writing = Task.Run(() =>
            {
                while (!Volatile.Read(ref ends))
                {
                    try
                    {
                        log.Append(Records.Make(0, number, 900));
                        number++;
                    }
                    catch (IOException e) when (e.Message.Contains("another writer", StringComparison.Ordinal))
                    {
                        // The one that is refused had the state file just when it was to be made again: the record is withdrawn.
                    }
                }
            });
            for (int i = 0; i < 40 && !writing.IsCompleted; i++)
            {
                File.Delete(State(folder));
                Should.Throw<IOException>(() => SluiceLog.Open(folder.Log, SmallLog.Options).Dispose());
            }

            Volatile.Write(ref ends, true);
            await writing;
        }

        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
        records.Count.ShouldBe(number);
        records.Select(static r => Records.Check(r.Bytes).Number).ShouldBe(Enumerable.Range(0, number));
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

        // It goes on in the segment that it has, and is told when it needs another one.
        int number = 20;
        IOException error = Should.Throw<IOException>(() =>
        {
            for (; number < 100; number++)
            {
                first.Append(Records.Make(0, number, 500));
            }
        });
        error.Message.ShouldContain(folder.Log);
        Should.Throw<IOException>(() => first.TruncateBefore(1000));
        Should.Throw<IOException>(() => first.TruncateAfter(10));

        // What it could not write is withdrawn, and nothing of it is anywhere; for its number there is room in the segment that it has.
        first.Dispose();
        second.Dispose();
        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
        Records.ReadAll(folder.Log).Count.ShouldBe(100);
        List<(long Sequence, byte[] Bytes)> left = Records.ReadAll(moved);
        Records.ShouldBeInOrder(left, left[0].Sequence, (int)left[0].Sequence - 1);
        left[^1].Sequence.ShouldBe(number);
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

    /// <summary>Who may open the state may lock it, and keep the log's writer out.</summary>
    [SkippableFact]
    public void Each_file_has_the_permissions_that_were_asked_for_also_when_it_is_made_again()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Windows has no such permissions, and elsewhere nobody makes the state again.");
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
            File.Delete(State(folder));
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
