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
