using Shouldly;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Conformance;

internal static class SpaceChecks
{
    public static Task Allocate_extends_and_keeps(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        FileModel model = new();
        byte[] bytes = Pattern.Bytes(1, 5003);
        handle.Write(bytes, 0);
        model.Write(bytes, 0);
        if (!target.TakesAllocate)
        {
            Should.Throw<PlatformNotSupportedException>(() => handle.Allocate(3000, 100_000)).Message.ShouldContain(file.Path);
            FileModel.ShouldMatch(file.Content, model.Content, "file after a refusal");
            return Task.CompletedTask;
        }

        handle.Allocate(3000, 100_001);
        model.Extend(103_001);
        handle.Length.ShouldBe(103_001);
        FileModel.ShouldMatch(file.Content, model.Content, "allocated");
        handle.Allocate(10, 20);
        handle.Length.ShouldBe(103_001);
        handle.Write(bytes, 50_001);
        model.Write(bytes, 50_001);
        byte[] buffer = new byte[200_000];
        FileModel.ShouldMatch(buffer.AsSpan(0, handle.Read(buffer, 0)), model.Content, "written into allocated space");
        Should.Throw<ArgumentOutOfRangeException>(() => handle.Allocate(-1, 5));
        Should.Throw<ArgumentOutOfRangeException>(() => handle.Allocate(5, 0));
        handle.Length.ShouldBe(103_001);
        return Task.CompletedTask;
    }

    public static Task Punched_holes_read_as_zeros(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        FileModel model = new();
        byte[] bytes = Pattern.Bytes(2, 150_001);
        handle.Write(bytes, 0);
        model.Write(bytes, 0);
        if (!target.TakesPunch)
        {
            Should.Throw<PlatformNotSupportedException>(() => handle.PunchHole(3000, 10_000)).Message.ShouldContain(file.Path);
            FileModel.ShouldMatch(file.Content, model.Content, "file after a refusal");
            return Task.CompletedTask;
        }

        byte[] buffer = new byte[160_000];
        foreach ((int offset, int length) in ((int, int)[])[(4096, 8192), (20_001, 30_003), (60_000, 1), (100_000, 5000), (149_000, 9000),
            (500_000, 10)])
        {
            handle.PunchHole(offset, length);
            model.Clear(offset, length);
            handle.Length.ShouldBe(model.Length);
            FileModel.ShouldMatch(buffer.AsSpan(0, handle.Read(buffer, 0)), model.Content, $"hole at {offset}");
            FileModel.ShouldMatch(file.Content, model.Content, $"hole at {offset}, cached");
        }

        return Task.CompletedTask;
    }

    public static async Task Extents_cover_the_data(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        if (!target.TellsExtents)
        {
            Should.Throw<PlatformNotSupportedException>(() => handle.GetExtents()).Message.ShouldContain(file.Path);
            return;
        }

        handle.GetExtents().ShouldBeEmpty();
        byte[] bytes = Pattern.Bytes(2, 65_536);
        await handle.WriteAsync(bytes, 0);
        await handle.WriteAsync(bytes, 1 << 20);
        await handle.FlushToDiskAsync();
        IReadOnlyList<FileExtent> extents = handle.GetExtents();
        for (int i = 1; i < extents.Count; i++)
        {
            extents[i].Offset.ShouldBeGreaterThanOrEqualTo(extents[i - 1].Offset + extents[i - 1].Length);
        }

        Covered(0, 65_536).ShouldBe(65_536);
        Covered(1 << 20, 65_536).ShouldBe(65_536);
        Covered(131_072, 1 << 19).ShouldBe(0, "a hole has an extent");

        long Covered(long offset, long length) =>
            extents.Sum(e => Math.Max(0, Math.Min(e.Offset + e.Length, offset + length) - Math.Max(e.Offset, offset)));
    }

    public static Task Preallocated_files_start_with_that_space(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = SluiceHandle.Open(file.Path, new SluiceOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            PreallocationSize = 123_457,
            Caching = target.Caching,
        });
        using ScratchFile peerFile = target.NewFile();
        using Microsoft.Win32.SafeHandles.SafeFileHandle peer =
            File.OpenHandle(peerFile.Path, FileMode.CreateNew, FileAccess.ReadWrite, preallocationSize: 123_457);
        handle.Length.ShouldBe(RandomAccess.GetLength(peer));
        handle.Write(Pattern.Bytes(1, 1001), 501);
        byte[] buffer = new byte[1001];
        handle.Read(buffer, 501).ShouldBe(1001);
        FileModel.ShouldMatch(buffer, Pattern.Bytes(1, 1001), "preallocated file");
        return Task.CompletedTask;
    }
}
