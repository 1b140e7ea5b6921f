using Sluice.Streams;

namespace Sluice.Tests.Streams;

/// <summary>A file that was emptied on ext4 is on its way to the device while it is being written, and whole when it is closed.</summary>
public sealed class EarlyWritebackTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public static TheoryData<int, bool> Openings => new()
    {
        { 0, false },
        { 0, true },
        { 4096, false },
        { 4096, true },
        { SluiceOptions.Adaptive, false },
        { SluiceOptions.Adaptive, true },
    };

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [MemberData(nameof(Openings))]
    public async Task What_was_written_has_a_place_on_the_device_before_the_file_is_closed(int bufferSize, bool isAsync)
    {
        string path = _temp.NewPath();
        byte[] piece = Bytes.Pattern(8 * 1024);
        long total = 3L * EarlyWriteback.StepBytes;
        await using SluiceStream stream =
            new(path, new SluiceOptions { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize = bufferSize });
        Skip.IfNot(stream.SluiceHandle.DelaysAllocation, "the file system is not ext4");
        for (long written = 0; written < total; written += piece.Length)
        {
            if (isAsync)
            {
                await stream.WriteAsync(piece);
            }
            else
            {
                stream.Write(piece);
            }
        }

        // The first bytes are never reserved: only their writeback gives them a place.
        IReadOnlyList<FileExtent> extents = ExtentsOf(path);
        extents[0].Offset.ShouldBe(0);
        (extents[0].Flags & FileExtentFlags.DelayedAllocation).ShouldBe(FileExtentFlags.None);
    }

    [SkippableTheory]
    [MemberData(nameof(Openings))]
    public async Task The_rest_follows_when_the_file_is_closed(int bufferSize, bool isAsync)
    {
        string path = _temp.NewPath();
        byte[] content = Bytes.Pattern((2 * EarlyWriteback.StepBytes) + (EarlyWriteback.StepBytes / 2) + 1);
        SluiceStream stream = new(path, new SluiceOptions { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize = bufferSize });
        Skip.IfNot(stream.SluiceHandle.DelaysAllocation, "the file system is not ext4");
        stream.Write(content);
        if (isAsync)
        {
            await stream.DisposeAsync();
        }
        else
        {
            stream.Dispose();
        }

        IReadOnlyList<FileExtent> extents = ExtentsOf(path);
        extents.ShouldAllBe(static e => (e.Flags & FileExtentFlags.DelayedAllocation) == 0);
        extents.Sum(static e => e.Length).ShouldBeGreaterThanOrEqualTo(content.Length);
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes(content);
    }

    private static IReadOnlyList<FileExtent> ExtentsOf(string path)
    {
        using SluiceHandle file = SluiceHandle.Open(path, share: FileShare.ReadWrite);
        return file.GetExtents();
    }
}
