using System.Collections.Concurrent;
using Sluice.Streams;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Which system calls are made, of what and how often, and what is said of one that fails.</summary>
public sealed class CallTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(1000);

    /// <summary>What begins at the front again each time costs as many calls as there are writes.</summary>
    [SkippableFact]
    public void Writeback_begins_once_for_each_step_of_a_file_that_is_written_anew()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        const int steps = 4;
        int begun = 0;
        byte[] piece = new byte[8 * 1024];
        SluiceOptions options = new() { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize = 4096 };
        using (SluiceStream stream = new(Temp.NewPath(), options))
        {
            Skip.IfNot(stream.SluiceHandle.DelaysAllocation, "the file system is not ext4");
            SystemCallFaults.Use((call, _, _) =>
            {
                begun += call == "sync_file_range" ? 1 : 0;
                return 0;
            });
            for (long written = 0; written < steps * (long)EarlyWriteback.StepBytes; written += piece.Length)
            {
                stream.Write(piece);
            }
        }

        // A device that is slow to begin is asked once, and once more at the end.
        SystemCallFaults.Use(null);
        begun.ShouldBeInRange(2, steps + 1);
    }

    /// <summary>As a store of pages or a writer that goes back to its header for each entry does.</summary>
    [SkippableFact]
    public void Writeback_is_left_to_the_kernel_where_a_stream_writes_here_and_there()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        int begun = 0;
        byte[] piece = new byte[EarlyWriteback.StepBytes];
        SluiceOptions options = new() { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize = 4096 };
        using (SluiceStream stream = new(Temp.NewPath(), options))
        {
            SystemCallFaults.Use((call, _, _) =>
            {
                begun += call == "sync_file_range" ? 1 : 0;
                return 0;
            });
            for (int i = 0; i < 8; i++)
            {
                stream.Position = piece.Length * (long)((i * 5 % 8) + 1);
                stream.Write(piece);
            }
        }

        SystemCallFaults.Use(null);
        begun.ShouldBe(0);
    }

    /// <summary>It has its place on the device already.</summary>
    [SkippableTheory]
    [InlineData(0)]
    [InlineData(SluiceOptions.Adaptive)]
    public void Writeback_of_a_preallocated_file_is_left_to_the_kernel(int bufferSize)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        byte[] piece = new byte[8 * 1024];
        long total = 3L * EarlyWriteback.StepBytes;
        SluiceOptions options = new()
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            BufferSize = bufferSize,
            PreallocationSize = total,
        };
        int begun = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            Interlocked.Add(ref begun, call == "sync_file_range" ? 1 : 0);
            return 0;
        });
        using (SluiceStream stream = new(Temp.NewPath(), options))
        {
            for (long written = 0; written < total; written += piece.Length)
            {
                stream.Write(piece);
            }
        }

        SystemCallFaults.Use(null);
        begun.ShouldBe(0);
    }

    /// <summary>A program that was killed may have left them written and not synced; what is appended now stands on them.</summary>
    [SkippableFact]
    public void What_is_found_of_a_log_is_made_durable_when_it_is_opened_with_its_folder()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "/proc says what a descriptor is");
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
                flushed.Add(LinkOf($"/proc/self/fd/{fd}"));
            }

            return 0;
        });
        using (SluiceLog.Open(folder, options))
        {
            SystemCallFaults.Use(null);
        }

        segments.Append(folder).Except(flushed).ShouldBeEmpty("not flushed");
    }

    [SkippableFact]
    public async Task What_an_earlier_copy_left_and_cannot_be_removed_says_why()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "trees are resumed on Linux");
        string tree = Directory.CreateDirectory(Temp.NewPath()).FullName;
        File.WriteAllBytes(Path.Combine(tree, "file"), Content);
        string target = Temp.NewPath();
        string left = Directory.CreateDirectory(Path.Combine(Temp.Root, $".{Path.GetFileName(target)}.sluice-tmp")).FullName;
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(left, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        Skip.If(Native.SetAttribute(left, "user.sluice.copy", [1]) != 0, "this file system has no extended attributes of users");
        File.WriteAllText(Path.Combine(Directory.CreateDirectory(Path.Combine(left, "gone since")).FullName, "file"), "x");
        int removals = 0;
        SystemCallFaults.Use((call, _, _) => call == "unlinkat" && Interlocked.Increment(ref removals) == 1 ? -Errno.EACCES : 0);
        Exception? error = await Record.ExceptionAsync(() =>
            SluiceFile.CopyAsync(tree, target, new CopyOptions { Recurse = true, Resume = true }));
        SystemCallFaults.Use(null);

        // Not that the folder around it is not empty, which follows.
        (error is FileBatchException batch ? batch.Failures.ShouldHaveSingleItem().Error : error)
            .ShouldBeOfType<UnauthorizedAccessException>().Message.ShouldContain("gone since");
    }

    private static string LinkOf(string descriptor)
    {
        try
        {
            return new FileInfo(descriptor).LinkTarget ?? "";
        }
        catch (IOException)
        {
            // Closed meanwhile.
            return "";
        }
    }
}
