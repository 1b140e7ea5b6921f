using System.Globalization;
using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A writer on a disk that becomes full: one error with its offset, a file without a gap, and no space held behind its
/// end.</summary>
[Trait("Tier", "slow")]
public sealed class SequentialFullDiskTests
{
    private const int Piece = 30_011;

    public static TheoryData<FileSystemKind, FileCaching, bool> Places()
    {
        TheoryData<FileSystemKind, FileCaching, bool> places = [];
        foreach ((FileSystemKind kind, FileCaching caching) in SmallDisk.Each)
        {
            places.Add(kind, caching, false);
            places.Add(kind, caching, true);
        }

        return places;
    }

    [SkippableTheory]
    [MemberData(nameof(Places))]
    public async Task Writing_fails_once_with_its_offset_and_keeps_what_was_flushed(FileSystemKind kind, FileCaching caching, bool isAsync)
    {
        using Mount mount = SmallDisk.Make(kind);
        string path = Path.Combine(mount.Folder, "filling");
        FileModel model = new();
        SluiceWriter writer = new(path, new SluiceWriterOptions
        {
            Caching = caching,
            RequestSize = 64 * 1024,
            Depth = 4,
            PreallocationSize = 512 * 1024,
        });
        IOException? error = null;
        long flushed = 0;
        for (int i = 0; error is null; i++)
        {
            i.ShouldBeLessThan(2000, "the disk never became full");
            byte[] bytes = Pattern.Bytes(i, Piece);
            model.Append(bytes);
            try
            {
                await WriteAsync(writer, bytes, isAsync);
                if (i % 5 == 4)
                {
                    await FlushAsync(writer, isAsync);
                    flushed = writer.Position;
                    flushed.ShouldBe(model.Length);
                }
            }
            catch (IOException e)
            {
                error = e;
            }
        }

        error.HResult.ShouldBe(Native.ENOSPC);
        error.Message.ShouldContain(path);
        flushed.ShouldBeGreaterThan(400_000);
        Should.Throw<IOException>(() => writer.Write([1])).Message.ShouldBe(error.Message);
        await writer.DisposeAsync();

        byte[] left = await File.ReadAllBytesAsync(path);
        left.LongLength.ShouldBeGreaterThanOrEqualTo(flushed);

        // A direct block begins at a page's border, which may lie in front of what was flushed.
        left.LongLength.ShouldBeLessThanOrEqualTo(Math.Max(OffsetIn(error), flushed), "the file reaches behind the error");
        FileModel.ShouldMatch(left, model.Content[..left.Length], "file");
        ShouldHoldNoMoreThanItHas(path, left.Length);
    }

    internal static async Task WriteAsync(SluiceWriter writer, byte[] bytes, bool isAsync)
    {
        if (isAsync)
        {
            await writer.WriteAsync(bytes);
        }
        else
        {
            writer.Write(bytes);
        }
    }

    internal static async Task FlushAsync(SluiceWriter writer, bool isAsync)
    {
        if (isAsync)
        {
            await writer.FlushAsync();
        }
        else
        {
            writer.Flush();
        }
    }

    internal static long OffsetIn(IOException error)
    {
        string text = error.Message.Split("at offset ")[1];
        return long.Parse(text.AsSpan(0, text.AsSpan().IndexOfAnyExceptInRange('0', '9')), CultureInfo.InvariantCulture);
    }

    /// <summary>Up to the end of its last page, and two blocks of ext4's tree of extents.</summary>
    private static void ShouldHoldNoMoreThanItHas(string path, int length) =>
        BytesHeld(path).ShouldBeLessThanOrEqualTo(((length + 4095L) / 4096 * 4096) + 2048, "space is held behind the end of the file");

    private static long BytesHeld(string path) =>
        long.Parse(Command.Run("stat", "--format", "%b", path), CultureInfo.InvariantCulture) * 512;
}
