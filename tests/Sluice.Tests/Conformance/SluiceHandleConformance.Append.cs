using System.Collections.Concurrent;
using Sluice.Tests.Shared;

namespace Sluice.Tests.Conformance;

public abstract partial class SluiceHandleConformance
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Append_returns_where_the_bytes_landed(bool isAsync)
    {
        await using SluiceHandle handle = OpenNew(700, out byte[] expected);
        foreach (int size in (int[])[0, 1, 511, 0, 512, 4096, 5000, 0, 100_000])
        {
            byte[] bytes = Bytes.Pattern(size, size);
            (await AppendAsync(handle, bytes, isAsync)).ShouldBe(expected.Length);
            expected = [.. expected, .. bytes];
        }

        // A write behind the end moves it; the next append goes there.
        await WriteAsync(handle, Bytes.Pattern(10), expected.Length + 1000, isAsync);
        expected = Written(expected, Bytes.Pattern(10), expected.Length + 1000);
        (await AppendAsync(handle, Bytes.Pattern(3), isAsync)).ShouldBe(expected.Length);
        Content(handle).ShouldBeBytes([.. expected, .. Bytes.Pattern(3)]);
        handle.SetLength(5);
        (await AppendAsync(handle, Bytes.Pattern(3), isAsync)).ShouldBe(5);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Appends_to_a_handle_that_writes_through_do_so_too(bool isAsync)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the flags of descriptors stand in /proc");
        const int sync = 0x10_1000;
        string path = _temp.NewPath();
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Options = FileOptions.WriteThrough,
            Caching = _caching,
            Engine = _engine,
        });
        (await AppendAsync(handle, Bytes.Pattern(10), isAsync)).ShouldBe(0);
        string[] descriptors = [.. OpenFiles.All().Where(f => f.Target == path).Select(static f => f.Link)];
        descriptors.ShouldNotBeEmpty();
        foreach (string descriptor in descriptors)
        {
            string flags = File.ReadLines(descriptor.Replace("/fd/", "/fdinfo/", StringComparison.Ordinal))
                .First(static line => line.StartsWith("flags:", StringComparison.Ordinal));
            (Convert.ToInt32(flags["flags:".Length..].Trim(), 8) & sync).ShouldBe(sync, flags);
        }

    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Appends_under_a_handle_that_is_closed_are_whole_or_refused(bool isAsync)
    {
        const int writers = 8;
        const int most = 1_000_000;
        string path = _temp.NewFile(0);
        SluiceHandle handle = Open(path);
        ConcurrentDictionary<(int, int), long> landed = [];
        using var begun = new CountdownEvent(writers);
        Task<int>[] ended = [.. Enumerable.Range(0, writers).Select(writer => OnItsOwnThread(!isAsync, async () =>
        {
            for (int i = 0; i < most; i++)
            {
                try
                {
                    landed[(writer, i)] = await AppendAsync(handle, AppendRecords.Make(writer, i), isAsync);
                }
                catch (ObjectDisposedException)
                {
                    return i;
                }

                if (i == 2)
                {
                    begun.Signal();
                }

                // An append that completes at once would never let the other writers begin.
                if (isAsync)
                {
                    await Task.Yield();
                }
            }

            return most;
        }))];
        begun.Wait();
        handle.Dispose();
        int[] counts = await Task.WhenAll(ended);

        // A refused record may not stand there, an acknowledged one must.
        await using SluiceHandle again = Open(path);
        AppendRecords.Check(Content(again), 0, counts, landed);
    }

    /// <summary>A thread of its own for calls that block, which would starve the pool that carries them out.</summary>
    private static Task<T> OnItsOwnThread<T>(bool blocks, Func<Task<T>> body) =>
        Task.Factory.StartNew(
            body, CancellationToken.None, blocks ? TaskCreationOptions.LongRunning
                : TaskCreationOptions.None, TaskScheduler.Default).Unwrap();

    [SkippableFact]
    public async Task Appends_of_other_processes_are_whole_too()
    {
        Skip.If(_engine is not null, "once is enough: each configuration has the same descriptors");
        const int writers = 4;
        int count = _caching == FileCaching.Direct ? 150 : 1000;
        string path = _temp.NewFile(33);
        await using SluiceHandle handle = Open(path);
        string verb = _caching == FileCaching.Direct ? "append-direct" : "append";
        List<Task<int>> children = [];
        for (int writer = 1; writer < writers; writer++)
        {
            children.Add(ChildProcess.RunAsync(verb, path, $"{writer}", $"{count}"));
        }

        ConcurrentDictionary<(int, int), long> landed = [];
        for (int i = 0; i < count; i++)
        {
            landed[(0, i)] = await handle.AppendAndGetOffsetAsync(AppendRecords.Make(0, i));
            await Task.Yield();
        }

        (await Task.WhenAll(children)).ShouldAllBe(exit => exit == 0);
        AppendRecords.Check(Content(handle), 33, writers, count, landed);
    }

    [Fact]
    public async Task Append_beside_writes_and_reads_keeps_all_bytes()
    {
        const int rounds = 100;
        await using SluiceHandle handle = OpenNew(3000, out byte[] content);
        byte[] record = Bytes.Pattern(77);
        List<Task> tasks = [];
        for (int i = 0; i < rounds; i++)
        {
            tasks.Add(handle.AppendAsync(record).AsTask());
            tasks.Add(handle.WriteAsync(content.AsMemory(i * 10, 10), i * 10).AsTask());
            tasks.Add(handle.ReadAsync(new byte[100], 100 + i).AsTask());
        }

        await Task.WhenAll(tasks);
        Content(handle).ShouldBeBytes([.. content, .. Enumerable.Repeat(record, rounds).SelectMany(r => r)]);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task Appends_of_64_threads_on_two_handles_are_whole_and_where_they_say(bool isAsync, bool areOfOneOpenFile)
    {
        const int writers = 64;
        int count = IsFaulty ? 3 : 25;
        string path = _temp.NewFile(10);
        await using SluiceHandle first = Open(path);
        using IDisposable? scope = _engine is null ? null : IoEngine.UseForCurrentContext(_engine);
        await using SluiceHandle second = areOfOneOpenFile
            ? SluiceHandle.FromSafeFileHandle(first.SafeFileHandle, FileAccess.ReadWrite, ownsHandle: false)
            : Open(path);
        ConcurrentDictionary<(int, int), long> landed = [];

        await Task.WhenAll(Enumerable.Range(0, writers).Select(writer => OnItsOwnThread(!isAsync, async () =>
        {
            for (int i = 0; i < count; i++)
            {
                landed[(writer, i)] = await AppendAsync(writer % 2 == 0 ? first : second, AppendRecords.Make(writer, i), isAsync);
            }

            return count;
        })));
        AppendRecords.Check(Content(first), 10, writers, count, landed);
    }

    [SkippableFact]
    public async Task Appends_are_no_error_where_another_moves_the_position_of_the_open_file()
    {
        Skip.If(OperatingSystem.IsWindows(), "the position of an open file is moved by Unix's call");
        string path = _temp.NewFile(10);
        await using SluiceHandle handle = Open(path);
        using var stop = new CancellationTokenSource();
        Task mover = Task.Factory.StartNew(
            () =>
            {
                while (!stop.IsCancellationRequested)
                {
                    Native.MoveOffset(handle.SafeFileHandle, 3);
                }
            },
            TaskCreationOptions.LongRunning);
        try
        {
            for (int i = 0; i < (IsFaulty ? 10 : 300); i++)
            {
                (await handle.AppendAndGetOffsetAsync(Bytes.Pattern(7))).ShouldBe(10 + (i * 7));
            }
        }
        finally
        {
            await stop.CancelAsync();
            await mover;
        }
    }

    [SkippableTheory]
    [InlineData("deleted")]
    [InlineData("without a name")]
    [InlineData("without permission")]
    public async Task Appends_go_to_the_file_that_is_open_whatever_became_of_its_name(string fate)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "O_TMPFILE and names of open files are Linux's");
        string path = _temp.NewFile(10);
        using Microsoft.Win32.SafeHandles.SafeFileHandle? unnamed = fate == "without a name"
            ? Native.OpenWithoutName(_temp.Root) : null;
        using IDisposable? scope = unnamed is null || _engine is null ? null : IoEngine.UseForCurrentContext(_engine);
        await using SluiceHandle handle = unnamed is null
            ? Open(path)
            : SluiceHandle.FromSafeFileHandle(unnamed, FileAccess.ReadWrite, ownsHandle: false);
        byte[] expected = unnamed is null ? Bytes.Pattern(10) : [];
        if (fate == "deleted")
        {
            File.Delete(path);
            await File.WriteAllBytesAsync(path, [1, 2, 3]);
        }
        else if (fate == "without permission" && !OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, UnixFileMode.None);
        }

        foreach (int size in (int[])[100, 1, 5000])
        {
            (await handle.AppendAndGetOffsetAsync(Bytes.Pattern(size))).ShouldBe(expected.Length);
            expected = [.. expected, .. Bytes.Pattern(size)];
        }

        handle.Length.ShouldBe(expected.Length);
        byte[] content = new byte[expected.Length];
        handle.Read(content, 0).ShouldBe(content.Length);
        content.ShouldBeBytes(expected);
        if (fate == "deleted")
        {
            (await File.ReadAllBytesAsync(path)).ShouldBeBytes([1, 2, 3]);
        }
    }
}
