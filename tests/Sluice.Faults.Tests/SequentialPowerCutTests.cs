using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A power cut while files are written and read from front to back.</summary>
[Trait("Tier", "slow")]
public sealed class SequentialPowerCutTests
{
    [SkippableTheory]
    [MemberData(nameof(PowerCut.Cases), MemberType = typeof(PowerCut))]
    public async Task What_a_writer_promised_survives(FileSystemKind kind, FileCaching caching, bool isAsync)
    {
        const int flushed = 100_001;
        using Mount mount = Mount.OrSkip(kind);
        byte[] content = Pattern.Bytes(3, 300_003);
        string completed = Path.Combine(mount.Folder, "completed");
        string open = Path.Combine(mount.Folder, "open");
        SluiceWriterOptions options =
            new() { Caching = caching, RequestSize = 16 * 1024, Depth = 4, PreallocationSize = 1 << 20, FlushToDisk = true };
        SluiceWriter whole = new(completed, options);
        SluiceWriter part = new(open, options);

        // The entries of the folder are their owner's business (fsync(2)).
        _ = Command.Run("sync", "--file-system", mount.Folder);
        await SequentialFullDiskTests.WriteAsync(whole, content, isAsync);
        await SequentialFullDiskTests.WriteAsync(part, content[..flushed], isAsync);
        if (isAsync)
        {
            await whole.DisposeAsync();
            await part.FlushAsync(flushToDisk: true);
        }
        else
        {
            whole.Dispose();
            part.Flush(flushToDisk: true);
        }

        using SluiceReader reader =
            new(completed, new SluiceReaderOptions { Caching = FileCaching.Direct, RequestSize = 16 * 1024, Depth = 2 });
        reader.TryReadBlock(out ReadOnlySpan<byte> first).ShouldBeTrue();
        first.Length.ShouldBe(16 * 1024);
        PowerCut.Cut(mount, kind);

        // The dead device: the error of either has a path and an offset, and nothing hangs.
        IOException? unread = null;
        try
        {
            for (int blocks = 0; blocks < 100 && reader.TryReadBlock(out _); blocks++)
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
        FileModel.ShouldMatch((await File.ReadAllBytesAsync(open)).AsSpan(0, flushed), content.AsSpan(0, flushed),
            "what was flushed to the disk");
        PowerCut.ShouldHaveLost(mount);
    }
}
