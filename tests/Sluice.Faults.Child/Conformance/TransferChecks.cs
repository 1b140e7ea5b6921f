using Shouldly;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Conformance;

internal static class TransferChecks
{
    public static Task Caching_is_what_the_file_system_allows(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        FileCaching expected = target.Caching == FileCaching.Direct && !target.TakesDirect ? FileCaching.Cached : target.Caching;

        // The first transfer may tell what opening did not.
        handle.Write(Pattern.Bytes(1, 4096), 0);
        handle.Caching.ShouldBe(expected, handle.CachingReason);
        (handle.CachingReason is null).ShouldBe(expected == target.Caching, handle.CachingReason);
        if (expected == FileCaching.Direct)
        {
            int.IsPow2(handle.Alignment.Offset).ShouldBeTrue();
            handle.Alignment.Offset.ShouldBeGreaterThanOrEqualTo(512);
        }
        else
        {
            handle.Alignment.ShouldBe(new FileAlignment(1, 1, 1));
        }

        return Task.CompletedTask;
    }

    public static async Task Offsets_behind_4_GiB(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        long offset = (5L << 30) + 12_347;
        byte[] bytes = Pattern.Bytes(8, 10_001);
        await handle.WriteAsync(bytes, offset);
        handle.Length.ShouldBe(offset + bytes.Length);
        byte[] buffer = new byte[20_000];
        handle.Read(buffer, offset - 100).ShouldBe(bytes.Length + 100);
        buffer.AsSpan(0, 100).ContainsAnyExcept((byte)0).ShouldBeFalse();
        FileModel.ShouldMatch(buffer.AsSpan(100, bytes.Length), bytes, "behind 4 GiB");
        (await handle.ReadAsync(buffer, 3L << 30)).ShouldBe(buffer.Length);
        buffer.AsSpan().ContainsAnyExcept((byte)0).ShouldBeFalse("a hole does not read as zeros");
        handle.AppendAndGetOffset(bytes).ShouldBe(offset + bytes.Length);
        handle.SetLength(0);
        handle.Length.ShouldBe(0);
    }

    public static async Task Impossible_offsets_fail_and_leave_the_handle_as_it_was(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using SluiceHandle handle = target.Open(file);
        byte[] content = Pattern.Bytes(4, 5000);
        handle.Write(content, 0);
        FileCaching caching = handle.Caching;
        byte[] buffer = new byte[4096];
        foreach (long offset in (long[])[long.MaxValue, long.MaxValue - 5, long.MaxValue & ~4095L])
        {
            Exception? expected = Record(() => RandomAccess.Write(handle.SafeFileHandle, buffer, offset));
            Record(() =>
                handle.Write(buffer, offset)).ShouldBeOfType(expected.ShouldNotBeNull().GetType(),
                    $"Write at {offset}: {expected.Message}");
            Exception? error = null;
            try
            {
                await handle.WriteAsync(buffer, offset);
            }
            catch (Exception e)
            {
                error = e;
            }

            error.ShouldBeOfType(expected.GetType(), $"WriteAsync at {offset}: {expected.Message}");

            // Reading there is an error or the end of file, by the file system; never bytes, and never something else.
            Exception? read = Record(() => handle.Read(buffer, offset).ShouldBe(0));
            (read is null or IOException or ArgumentOutOfRangeException).ShouldBeTrue($"Read at {offset}: {read}");
        }

        Should.Throw<ArgumentOutOfRangeException>(() => handle.Write(buffer, -1));
        Should.Throw<ArgumentOutOfRangeException>(() => handle.Read(buffer, -1));
        handle.Caching.ShouldBe(caching, handle.CachingReason);
        FileModel.ShouldMatch(file.Content, content, "file");
        handle.Read(buffer, 1).ShouldBe(4096);
        FileModel.ShouldMatch(buffer, content.AsSpan(1, 4096), "Read afterwards");
    }

    public static Task Sharing_is_refused_as_System_IO_refuses_it(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        using (SluiceHandle _ = target.Open(file, share: FileShare.None))
        {
            Exception? expected = Record(() => File.OpenHandle(file.Path, FileMode.Open, FileAccess.ReadWrite, FileShare.None).Dispose());
            Exception? actual = Record(() => target.Open(file, share: FileShare.None).Dispose());
            actual?.GetType().ShouldBe(expected?.GetType());
            (actual is null).ShouldBe(expected is null, expected?.Message);
            actual?.Message.ShouldContain(file.Path);
        }

        // Free again, and the refused open has left no lock behind.
        target.Open(file, share: FileShare.None).Dispose();
        return Task.CompletedTask;
    }

    internal static Exception? Record(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }
}
