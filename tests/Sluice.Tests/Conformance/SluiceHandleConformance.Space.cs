using Microsoft.Win32.SafeHandles;

namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
    [SkippableFact]
    public void Allocate_reserves_space_and_extends_the_file()
    {
        using SluiceHandle handle = OpenNew(1000, out byte[] content);
        SkipWhereNotSupported(() => handle.Allocate(500, 200));
        handle.Length.ShouldBe(1000);
        handle.Allocate(900, 5000);
        handle.Length.ShouldBe(5900);
        Array.Resize(ref content, 5900);
        Content(handle).ShouldBeBytes(content);
    }

    [SkippableFact]
    public void GetExtents_covers_what_is_written_and_leaves_holes_out()
    {
        const long far = 8L << 20;
        using SluiceHandle handle = Open(_temp.NewPath(), FileMode.CreateNew);
        SkipWhereNotSupported(() => handle.GetExtents());
        handle.GetExtents().ShouldBeEmpty();
        handle.Write(Bytes.Pattern(65_536), 0);
        handle.Write(Bytes.Pattern(65_536), far);
        handle.FlushToDisk();
        IReadOnlyList<FileExtent> extents = handle.GetExtents();
        extents.Sum(e => e.Length).ShouldBe(131_072);
        extents[0].Offset.ShouldBe(0);
        extents[^1].Flags.HasFlag(FileExtentFlags.Last).ShouldBeTrue();
        (extents[^1].Offset + extents[^1].Length).ShouldBe(far + 65_536);
        extents.ShouldNotContain(e => e.Offset + e.Length > 65_536 && e.Offset < far);
    }

    [SkippableFact]
    public void GetExtents_tells_more_extents_than_one_call_carries()
    {
        const int count = 600;
        using SluiceHandle handle = Open(_temp.NewPath(), FileMode.CreateNew);
        SkipWhereNotSupported(() => handle.GetExtents());
        for (int i = 0; i < count; i++)
        {
            // Every other block: no two of them can be one extent.
            handle.Write(Bytes.Pattern(4096), i * 8192L);
        }

        handle.FlushToDisk();
        handle.GetExtents().Select(e => e.Offset).ShouldBe(Enumerable.Range(0, count).Select(i => i * 8192L));
    }

    [Theory]
    [InlineData(-1, 1)]
    [InlineData(0, -1)]
    [InlineData(0, 0)]
    [InlineData(long.MaxValue, 1)]
    [InlineData(1, long.MaxValue)]
    public void Space_of_an_impossible_range_is_an_argument_error(long offset, long length)
    {
        using SluiceHandle handle = OpenNew(10, out byte[] content);
        Should.Throw<ArgumentOutOfRangeException>(() => handle.Allocate(offset, length));
        Should.Throw<ArgumentOutOfRangeException>(() => handle.PunchHole(offset, length));
        Content(handle).ShouldBeBytes(content);
    }

    [SkippableFact]
    public void Allocate_more_than_there_is_names_path_and_size()
    {
        using SluiceHandle handle = OpenNew(10, out byte[] content);
        SkipWhereNotSupported(() => handle.Allocate(0, 10));
        const long size = 1L << 50;
        IOException error = Should.Throw<IOException>(() => handle.Allocate(0, size));
        error.Message.ShouldContain(handle.Path);
        error.Message.ShouldContain($"{size}");
        Content(handle).ShouldBeBytes(content);
    }

    [SkippableFact]
    public async Task Flushing_to_disk_works_on_files_devices_and_read_only_handles()
    {
        string path = _temp.NewFile(100);
        foreach (SluiceHandle opened in (SluiceHandle[])[Open(path), Open(path, access: FileAccess.Read), Open("/dev/null")])
        {
            using SluiceHandle handle = opened;
            await FlushAsync(handle);
        }

        (SafeFileHandle read, SafeFileHandle write) = Native.Pipe();
        using SluiceHandle pipe = SluiceHandle.FromSafeFileHandle(write, FileAccess.Write, ownsHandle: true);
        await FlushAsync(pipe);
        read.Dispose();

        static async Task FlushAsync(SluiceHandle handle)
        {
            handle.FlushToDisk();
            handle.FlushDataToDisk();
            await handle.FlushToDiskAsync();
            await handle.FlushDataToDiskAsync();
        }
    }

    private static void SkipWhereNotSupported(Action action)
    {
        Exception? refusal = Record.Exception(action);
        Skip.If(refusal is PlatformNotSupportedException, refusal?.Message);
        refusal.ShouldBeNull();
    }
}
