using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A disk that becomes full: an IOException that names the path, nothing half made, and what was acknowledged is there.</summary>
[Trait("Tier", "slow")]
public sealed class FullDiskTests
{
    private const int Piece = 30_011;

    /// <summary>Each way on two places, each place in two ways at least.</summary>
    public static TheoryData<FileSystemKind, FileCaching, string> Ways()
    {
        TheoryData<FileSystemKind, FileCaching, string> ways = [];
        int place = 0;
        foreach ((FileSystemKind kind, FileCaching caching) in SmallDisk.Each)
        {
            string[] all = ["Write", "WriteAsync", "Append", "AppendAsync", "WriteBatch", "WriteVector", "WriteVectorAsync"];
            for (int way = (place + (place / 3)) % 3; way < all.Length; way += 3)
            {
                ways.Add(kind, caching, all[way]);
            }

            place++;
        }

        return ways;
    }

    public static TheoryData<FileSystemKind, FileCaching> Places()
    {
        TheoryData<FileSystemKind, FileCaching> places = [];
        foreach ((FileSystemKind kind, FileCaching caching) in SmallDisk.Each)
        {
            places.Add(kind, caching);
        }

        return places;
    }

    [SkippableTheory]
    [MemberData(nameof(Ways))]
    public async Task Writing_fails_with_path_and_reason_and_keeps_what_was_written(FileSystemKind kind, FileCaching caching, string way)
    {
        using Mount mount = SmallDisk.Make(kind);
        string path = Path.Combine(mount.Folder, "filling");
        FileModel model = new();
        using (SluiceHandle handle = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, caching: caching))
        {
            Exception? error = null;
            for (int i = 0; error is null; i++)
            {
                i.ShouldBeLessThan(2000, "the disk never became full");
                byte[] bytes = Pattern.Bytes(i, Piece);
                try
                {
                    await WriteAsync(handle, way, bytes, model.Length);
                    model.Append(bytes);
                }
                catch (Exception e)
                {
                    error = e;
                }
            }

            IOException full = error.ShouldBeOfType<IOException>();
            full.HResult.ShouldBe(Native.ENOSPC);
            full.Message.ShouldContain(path);
            model.Length.ShouldBeGreaterThan(500_000);
            byte[] read = new byte[model.Length];
            (await handle.ReadAsync(read, 0)).ShouldBe(read.Length);
            FileModel.ShouldMatch(read, model.Content, "acknowledged pieces");

            // Room again: the same handle goes on.
            handle.SetLength(100_001);
            model.Cut(100_001);
            byte[] more = Pattern.Bytes(-1, Piece);
            await WriteAsync(handle, way, more, model.Length);
            model.Append(more);
            handle.FlushToDisk();
        }

        FileModel.ShouldMatch(await File.ReadAllBytesAsync(path), model.Content, "file after room was made");
    }

    [SkippableTheory]
    [MemberData(nameof(Places))]
    public void Allocate_fails_with_path_and_space_and_leaves_the_file_as_it_was(FileSystemKind kind, FileCaching caching)
    {
        using Mount mount = SmallDisk.Make(kind);
        string path = Path.Combine(mount.Folder, "allocated");
        byte[] content = Pattern.Bytes(5, 10_001);
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, caching: caching);
        handle.Write(content, 0);
        IOException full = Should.Throw<IOException>(() => handle.Allocate(0, 200_000_001));
        full.Message.ShouldContain(path);
        full.Message.ShouldContain("200000001");
        full.HResult.ShouldBe(Native.ENOSPC);
        handle.Length.ShouldBe(content.Length);
        FileModel.ShouldMatch(File.ReadAllBytes(path), content, "file");

        // Nothing of the failed reservation holds the disk.
        using SluiceHandle other = SluiceHandle.Open(Path.Combine(mount.Folder, "other"), FileMode.CreateNew, FileAccess.Write);
        other.Write(new byte[400_000], 0);
        other.FlushToDisk();
    }

    [SkippableTheory]
    [MemberData(nameof(Places))]
    public void Allocate_asks_for_what_the_file_lacks_and_for_what_is_free(FileSystemKind kind, FileCaching caching)
    {
        using Mount mount = SmallDisk.Make(kind);
        long free = new DriveInfo(mount.Folder).AvailableFreeSpace / 65_536 * 65_536;
        using SluiceHandle has = SluiceHandle.Open(
            Path.Combine(mount.Folder, "has"), FileMode.CreateNew, FileAccess.ReadWrite, preallocationSize: free / 2, caching: caching);
        using SluiceHandle lacks = SluiceHandle.Open(
            Path.Combine(mount.Folder, "lacks"), FileMode.CreateNew, FileAccess.ReadWrite, caching: caching);

        // Less than the disk has, and more than is free.
        Should.Throw<IOException>(() => lacks.Allocate(0, free * 3 / 4)).HResult.ShouldBe(Native.ENOSPC);
        lacks.Length.ShouldBe(0);
        using (SluiceHandle other = SluiceHandle.Open(Path.Combine(mount.Folder, "other"), FileMode.CreateNew, FileAccess.Write))
        {
            other.Write(new byte[free / 4], 0);
            other.FlushToDisk();
        }

        // More than is free, but it has it.
        has.Allocate(0, free / 2);
        has.Length.ShouldBe(free / 2);
    }

    private static async Task WriteAsync(SluiceHandle handle, string way, byte[] bytes, long offset)
    {
        switch (way)
        {
            case "Write":
                handle.Write(bytes, offset);
                break;
            case "WriteAsync":
                await handle.WriteAsync(bytes, offset);
                break;
            case "Append":
                handle.AppendAndGetOffset(bytes).ShouldBe(offset);
                break;
            case "AppendAsync":
                (await handle.AppendAndGetOffsetAsync(bytes)).ShouldBe(offset);
                break;
            case "WriteBatch":
                handle.WriteBatch([new WriteRequest(offset, bytes.AsMemory(0, 4096)),
                    new WriteRequest(offset + 4096, bytes.AsMemory(4096))]);
                break;
            case "WriteVector":
                handle.Write([bytes.AsMemory(0, 999), bytes.AsMemory(999)], offset);
                break;
            default:
                await handle.WriteAsync([bytes.AsMemory(0, 999), bytes.AsMemory(999)], offset);
                break;
        }
    }
}
