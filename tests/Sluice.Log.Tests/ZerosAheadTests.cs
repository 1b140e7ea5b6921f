using Sluice.Faults.Tests.Support;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Zeros that a log writes into reserved space ahead of frames that are synced often: never over a frame.</summary>
[Collection(nameof(AloneCollection))]
public sealed class ZerosAheadTests
{
    private const int Reserved = 16 * 1024 * 1024;

    [SkippableTheory]
    [InlineData(1)]
    [InlineData(2)]
    public void What_is_in_the_file_stays(int seed)
    {
        using TempFolder folder = Unwritten();
        Random random = new(seed);
        string path = Path.Combine(folder.Root, "file");
        byte[] model = new byte[Reserved];
        using (SluiceHandle file = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite))
        {
            file.Allocate(0, Reserved);
            ZerosAhead zeros = new(file);
            int most = random.Next(1, 200_000);
            for (long at = 32; ;)
            {
                byte[] frame = new byte[random.Next(1, random.Next(4) == 0 ? most : 1000)];
                random.NextBytes(frame);
                if (at + frame.Length > Reserved)
                {
                    break;
                }

                file.Write(frame, at);
                frame.CopyTo(model, at);
                at += frame.Length;
                if (random.Next(3) > 0)
                {
                    zeros.Write(at);
                }
            }
        }

        File.ReadAllBytes(path).AsSpan().SequenceEqual(model).ShouldBeTrue();
    }

    /// <summary>Where all data goes through the journal a sync over zeros needs it as well, and is asked about.</summary>
    [SkippableTheory]
    [InlineData(FileSystemKind.Ext4, true)]
    [InlineData(FileSystemKind.Ext4DataJournal, false)]
    [InlineData(FileSystemKind.Xfs, true)]
    public void They_are_written_where_a_sync_over_them_needs_no_journal(FileSystemKind kind, bool areWritten)
    {
        using Mount mount = Mount.OrSkip(kind);
        string path = Path.Combine(mount.Folder, "file");
        using SluiceHandle file = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite);
        file.Allocate(0, 1024 * 1024);
        ZerosAhead zeros = new(file);
        zeros.Write(100);
        (zeros.End > 0).ShouldBe(areWritten);
    }

    [SkippableTheory]
    [InlineData(200, LogDurability.Durable, true)]
    [InlineData(300_000, LogDurability.Durable, false)]
    [InlineData(200, LogDurability.Written, false)]
    public void They_are_there_where_small_frames_are_synced(int bytes, LogDurability durability, bool areThere)
    {
        using TempFolder folder = Unwritten();
        long written;
        using (SluiceLog log = folder.Open(new SluiceLogOptions { SegmentBytes = Reserved, Durability = durability }))
        {
            for (int i = 0; i < 20; i++)
            {
                log.Append(new byte[bytes]);
            }

            string segment = folder.Segments.First();
            using FileStream file = new(segment, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            file.Length.ShouldBe(Reserved);

            // Reserved space that nobody has written is a hole for lseek(2).
            written = CopyCalls.FindHole((int)file.SafeFileHandle.DangerousGetHandle(), 0);
        }

        if (areThere)
        {
            written.ShouldBeInRange(Tuning.LogZeroBytes, Tuning.LogZeroBytes + (20 * 4096));
        }
        else
        {
            written.ShouldBeLessThan((20 * (bytes + 4096)) + 4096);
        }

        folder.ReadAll().Select(static r => r.Bytes.Length).ShouldBe(Enumerable.Repeat(bytes, 20));
    }

    /// <summary>A limit of files' sizes, which .NET reports as a wrong argument; and no memory for a quarter of a megabyte.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Zeros_that_cannot_be_written_end_no_sync(bool isWithoutMemory)
    {
        const int EFBIG = 27;
        using TempFolder folder = Unwritten();
        int refused = 0;
        using SluiceLog log = folder.Open();
        SystemCallFaults.Use((call, _, length) => call == "pwrite" && length > 40_000 && Interlocked.Increment(ref refused) > 0
            ? isWithoutMemory ? throw new OutOfMemoryException() : -EFBIG : 0);
        try
        {
            for (int i = 0; i < 20; i++)
            {
                Task<long> append = log.AppendAsync(new byte[] { 1, 2, 3 }, LogDurability.Durable).AsTask();
                (await append.WaitAsync(TimeSpan.FromMinutes(1))).ShouldBe(i + 1);
            }
        }
        finally
        {
            SystemCallFaults.Use(null);
        }

        refused.ShouldBe(1);
    }

    /// <summary>A folder where the first write into reserved space changes the file's metadata.</summary>
    private static TempFolder Unwritten()
    {
        TempFolder folder = new();
        string path = Path.Combine(folder.Root, "probe");
        using SluiceHandle file = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite);
        if (!file.HasUnwrittenExtents)
        {
            folder.Dispose();
            Skip.If(true, "the folder for temporary files is not on ext4 or xfs");
        }

        return folder;
    }
}
