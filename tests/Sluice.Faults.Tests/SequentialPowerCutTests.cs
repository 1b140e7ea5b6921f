using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A power cut, made as in <see cref="PowerCutTests"/>, while files are written and read from front to back.</summary>
public sealed class SequentialPowerCutTests
{
    public static TheoryData<FileSystemKind, FileCaching, bool> Cases()
    {
        TheoryData<FileSystemKind, FileCaching, bool> cases = [];
        foreach (FileSystemKind kind in (FileSystemKind[])[FileSystemKind.Ext4, FileSystemKind.Xfs])
        {
            foreach (FileCaching caching in Enum.GetValues<FileCaching>())
            {
                cases.Add(kind, caching, false);
                cases.Add(kind, caching, true);
            }
        }

        return cases;
    }

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task What_a_writer_promised_survives(FileSystemKind kind, FileCaching caching, bool isAsync)
    {
        const int flushed = 100_001;
        using Mount mount = new(kind);
        Skip.If(mount.Refusal is not null, $"{kind}: {mount.Refusal}");
        byte[] content = Pattern.Bytes(3, 300_003);
        string completed = Path.Combine(mount.Folder, "completed");
        string open = Path.Combine(mount.Folder, "open");
        SluiceWriterOptions options = new() { Caching = caching, RequestSize = 16 * 1024, Depth = 4, PreallocationSize = 1 << 20, DataSync = true };
        SluiceWriter whole = new(completed, options);
        SluiceWriter part = new(open, options);

        // The entries of the folder are their owner's business (fsync(2)).
        _ = Command.Run("sync", "--file-system", mount.Folder);
        await SequentialFullDiskTests.WriteAsync(whole, content, isAsync);
        await SequentialFullDiskTests.WriteAsync(part, content[..flushed], isAsync);
        if (isAsync)
        {
            await whole.DisposeAsync();
            await part.FlushAsync(toDisk: true);
        }
        else
        {
            whole.Dispose();
            part.Flush(toDisk: true);
        }

        using SluiceReader reader = new(completed, new SluiceReaderOptions { Caching = FileCaching.Direct, RequestSize = 16 * 1024, Depth = 2 });
        reader.ReadBlock().Length.ShouldBe(16 * 1024);
        string lost = Path.Combine(mount.Folder, "lost");
        await File.WriteAllBytesAsync(lost, new byte[100_000]);
        int result = Native.ShutDown(mount.Folder);
        Skip.If(result != 0, $"{kind} cannot be shut down here (errno {result})");

        // The dead device: the error of either has a path and an offset, and nothing hangs.
        IOException? unread = null;
        try
        {
            for (int blocks = 0; blocks < 100 && !reader.ReadBlock().IsEmpty; blocks++)
            {
            }
        }
        catch (IOException e)
        {
            unread = e;
        }

        unread.ShouldNotBeNull().Message.ShouldContain(completed);
        SequentialFullDiskTests.OffsetIn(unread).ShouldBe(reader.Position);
        IOException unwritten = await Should.ThrowAsync<IOException>(async () =>
        {
            await SequentialFullDiskTests.WriteAsync(part, content[flushed..], isAsync);
            await part.DisposeAsync();
        });
        unwritten.Message.ShouldContain(open);
        await part.DisposeAsync();
        reader.Dispose();

        mount.Remount().ShouldBeNull();
        FileModel.ShouldMatch(await File.ReadAllBytesAsync(completed), content, "what was completed");
        FileModel.ShouldMatch((await File.ReadAllBytesAsync(open)).AsSpan(0, flushed), content.AsSpan(0, flushed), "what was flushed to the disk");
        FileInfo gone = new(lost);
        (gone.Exists && gone.Length > 0).ShouldBeFalse("the cut lost nothing, so this test proves nothing");
    }
}
