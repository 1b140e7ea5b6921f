using Shouldly;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Conformance;

internal static class SpaceChecks
{
    public static Task Space_is_reserved_and_released_where_the_file_system_can(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        handle.Write(Pattern.Bytes(1, 10_000), 0);
        Check(target.TakesAllocate, () => handle.Allocate(3000, 100_000));
        Check(target.TakesPunch, () => handle.PunchHole(3000, 5000));
        return Task.CompletedTask;

        void Check(bool isPossible, Action act)
        {
            Exception? error = TransferChecks.Record(act);
            (error is null).ShouldBe(isPossible, $"{error}");
            error?.ShouldBeOfType<PlatformNotSupportedException>().Message.ShouldContain(file.Path);
        }
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
