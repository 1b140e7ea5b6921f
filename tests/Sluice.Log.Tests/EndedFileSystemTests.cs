using System.Globalization;
using System.IO.Compression;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Kernel;
using Sluice.Tests.Shared;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>
/// A file system ends in the midst of something: then every call fails, on xfs statx(2) and lseek(2) of open files too. Whatever comes of
/// it is an error of the file system's, and no file stays open when the log is closed: else nobody could unmount it.
/// </summary>
[Trait("Tier", "nightly")]
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class EndedFileSystemTests
{
    private const int EIO = 5;

    private static SluiceLogOptions OptionsOf(string what) => new()
    {
        Format = what == "raw" ? LogFormat.Raw : LogFormat.Framed,
        Compression = what == "raw" ? CompressionLevel.Fastest : CompressionLevel.NoCompression,
        SegmentBytes = 8192,
        MaxRecordBytes = 3000,
        BufferBytes = 9000,
        RetainSegments = 3,
        FlushInterval = TimeSpan.FromHours(1),
    };

    /// <summary>It ends before the first system call, the second, and so on until there are no more.</summary>
    [SkippableTheory]
    [InlineData(FileSystemKind.Xfs, "opened")]
    [InlineData(FileSystemKind.Xfs, "read")]
    [InlineData(FileSystemKind.Xfs, "framed")]
    [InlineData(FileSystemKind.Xfs, "recovered")]
    [InlineData(FileSystemKind.Xfs, "raw")]
    [InlineData(FileSystemKind.Ext4, "recovered")]
    public void No_file_stays_open_wherever_the_file_system_ends(FileSystemKind kind, string what)
    {
        using Mount mount = Mount.OrSkip(kind);
        string directory = Path.Combine(mount.Folder, "log");
        int step = 0;
        for (; ; step++)
        {
            Exception? error = EndAt(step, mount, directory, what, out bool hasEnded);
            OpenFiles.Of(mount.Folder).ShouldBeEmpty($"step {step}: {error}");
            if (!hasEnded)
            {
                break;
            }

            (error is null or IOException or UnauthorizedAccessException).ShouldBeTrue($"step {step}: {error}");
            (error?.Message ?? "").ShouldNotContain("moved away");
            mount.Remount().ShouldBeNull();
            if (Directory.Exists(directory))
            {
                Directory.Delete(directory, recursive: true);
            }
        }

        step.ShouldBeGreaterThan(5);
    }

    private static Exception? EndAt(int step, Mount mount, string directory, string what, out bool hasEnded)
    {
        int calls = 0;
        int refusal = -1;
        bool counts = false;
        bool failsSyncs = false;
        if (what is "opened" or "read")
        {
            Fill(directory, OptionsOf(what));
        }

        SystemCallFaults.Use((call, fd, _) =>
        {
            if (Volatile.Read(ref counts) && Interlocked.Increment(ref calls) - 1 == step)
            {
                refusal = Native.ShutDown(mount.Folder);
            }

            if (Volatile.Read(ref failsSyncs) && call == "fsync" && Path.GetFileName(OpenFiles.NameOf(fd)) == "0000000001.slog")
            {
                Volatile.Write(ref counts, true);
                return -EIO;
            }

            return 0;
        });
        try
        {
            Volatile.Write(ref counts, what != "recovered");
            return Record.Exception(() =>
            {
                switch (what)
                {
                    case "opened":
                        SluiceLog.Open(directory, OptionsOf(what)).Dispose();
                        break;
                    case "read":
                        _ = Records.ReadWritten(directory);
                        break;
                    case "recovered":
                        using (SluiceLog log = SluiceLog.Open(directory, OptionsOf(what)))
                        {
                            log.Append(Records.Make(0, 0, 2000), LogDurability.Durable);
                            Volatile.Write(ref failsSyncs, true);
                            log.Append(Records.Make(0, 1, 2000), LogDurability.Durable);
                        }

                        break;
                    default:
                        Fill(directory, OptionsOf(what));
                        break;
                }
            });
        }
        finally
        {
            SystemCallFaults.Use(null);
            hasEnded = calls > step;
            refusal.ShouldBe(hasEnded ? 0 : -1);
        }
    }

    private static void Fill(string directory, SluiceLogOptions options)
    {
        using SluiceLog log = SluiceLog.Open(directory, options);
        for (int i = 0; i < 5; i++)
        {
            log.Append(Records.Make(0, i, 2000), LogDurability.Durable);
        }
    }
}
