using System.Collections.Concurrent;
using System.Globalization;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>What only the system calls show: who makes them, of what, and what a descriptor would do in a child.</summary>
[Trait("Tier", "slow")]
public sealed class SeamTests : HostileTests
{
    private const int Align = 4096;
    private static readonly EnumerationOptions All = new() { RecurseSubdirectories = true };
    private static readonly byte[] Content = Bytes.Pattern(700_000);

    /// <summary>On ext4 the two together may leave zeros in the place of what was written (decision 0005).</summary>
    [SkippableFact]
    public void An_uncached_stream_reserves_no_space()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        int reserved = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            Interlocked.Add(ref reserved, call == "fallocate" ? 1 : 0);
            return 0;
        });
        SluiceOptions options = new() { Mode = FileMode.Create, Access = FileAccess.Write, Caching = FileCaching.Uncached };
        byte[] piece = new byte[100_000];
        using (SluiceStream stream = new(Temp.NewPath(), options))
        {
            for (int i = 0; i < 200; i++)
            {
                stream.Write(piece);
            }
        }

        SystemCallFaults.Use(null);
        reserved.ShouldBe(0);
    }

    /// <summary>Columns of more than a megabyte, as an Arrow writer has.</summary>
    [SkippableTheory]
    [InlineData("writer")]
    [InlineData("stream")]
    public void A_large_write_is_one_write_and_nothing_is_reserved_or_written_back_for_it(string way)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        const int Columns = 20;
        Dictionary<string, int> calls = [];
        string path = Temp.NewPath();
        byte[] column = Bytes.Pattern(1_400_001);
        SystemCallFaults.Use((call, _, _) =>
        {
            calls[call] = calls.GetValueOrDefault(call) + 1;
            return 0;
        });
        using (IDisposable open = way == "stream" ? new SluiceStream(path, FileMode.Create, FileAccess.Write) : new SluiceWriter(path))
        {
            for (int i = 0; i < Columns; i++)
            {
                (open as Stream)?.Write(column);
                (open as SluiceWriter)?.Write(column);
            }
        }

        SystemCallFaults.Use(null);
        new FileInfo(path).Length.ShouldBe(Columns * (long)column.Length);
#if !DEBUG
        // Debug builds cut each transfer short.
        calls.GetValueOrDefault("pwrite").ShouldBe(Columns);
#endif
        calls.Keys.ShouldNotContain("fallocate");
        calls.Keys.ShouldNotContain("sync_file_range");
    }

    [SkippableFact]
    public async Task Nothing_that_the_library_opens_is_a_childs_too()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "/proc says what a descriptor is");
        string tree = MakeTree(6, 3);
        string source = Temp.NewFile(Content.AsSpan(0, 150_000).ToArray());
        string target = Temp.NewPath();
        ConcurrentDictionary<string, string> inherited = [];
        int looks = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            Interlocked.Increment(ref looks);
            foreach (string found in Inherited())
            {
                inherited[found] = call;
            }

            return 0;
        });
        foreach (CopyMethod method in (CopyMethod[])[CopyMethod.Auto, CopyMethod.Direct, CopyMethod.Buffered])
        {
            await SluiceFile.CopyAsync(source, target, new CopyOptions { Method = method, Overwrite = true, FlushToDisk = true });
        }

        await SluiceFile.ReplaceAtomicallyAsync(target, Content.AsMemory(0, 150_000));
        await SluiceFile.CopyAsync(tree, Temp.NewPath(), new CopyOptions { Recurse = true, PreserveMetadata = true });
        SluiceFile.EnumerateFileEntries(tree, "*", All).Count().ShouldBe(18);
        await foreach (FileReadResult result in SluiceFile.ReadManyAsync(Directory.GetFiles(tree, "*", SearchOption.AllDirectories)))
        {
            result.GetContent().Length.ShouldBe(100);
        }

        using (SluiceStream stream = new(target, FileMode.Open, FileAccess.ReadWrite))
        {
            stream.WriteByte(1);
            stream.Flush(flushToDisk: true);
        }

        using (SluiceLog log = SluiceLog.Open(Temp.NewPath()))
        {
            log.Append("record"u8, LogDurability.Durable);
        }

        SystemCallFaults.Use(null);
        looks.ShouldBeGreaterThan(50);
        inherited.ShouldBeEmpty();
    }

    /// <summary>Without it a power cut takes the folder, and with it records that were acknowledged as durable.</summary>
    [SkippableTheory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void The_names_of_a_logs_new_folders_are_made_durable(LogFormat format)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "folders are flushed on Linux alone");
        string root = Temp.NewPath();
        Directory.CreateDirectory(root);
        ConcurrentBag<string> flushed = [];
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call == "fsync" && File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false) is { } file)
            {
                flushed.Add(file.FullName);
            }

            return 0;
        });
        string log = Path.Combine(root, "a", "b", "log");
        SluiceLog.Open(log + "/", new SluiceLogOptions { Format = format }).Dispose();
        SystemCallFaults.Use(null);
        flushed.ShouldContain(log);
        flushed.ShouldContain(Path.Combine(root, "a", "b"));
        flushed.ShouldContain(Path.Combine(root, "a"));
        flushed.ShouldContain(root);
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_walk_that_ends_early_is_its_callers_work_alone(bool wantsDetails)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "folders are read by system calls on Linux alone");
        string tree = MakeTree(60, 3);
        int caller = Environment.CurrentManagedThreadId;
        ConcurrentBag<string> others = [];
        SystemCallFaults.Use((call, _, _) =>
        {
            // A ring's own thread may have something to end of what was before.
            if (Environment.CurrentManagedThreadId != caller && !call.StartsWith("io_uring", StringComparison.Ordinal))
            {
                others.Add(call);
            }

            return 0;
        });
        IEnumerable<string> files = wantsDetails
            ? SluiceFile.EnumerateFileEntries(tree, "*", All).Select(e => e.Path)
            : SluiceFile.EnumerateFiles(tree, "*", SearchOption.AllDirectories);
        using (IEnumerator<string> enumerator = files.GetEnumerator())
        {
            enumerator.MoveNext().ShouldBeTrue();
            enumerator.MoveNext().ShouldBeTrue();

            // Whoever was called has been there by now.
            await PoolIsIdleAsync();
        }

        SystemCallFaults.Use(null);
        others.ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_helper_that_is_in_a_step_closes_its_folder_when_the_walk_was_left(bool wantsDetails)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "folders are read by system calls on Linux alone");
        string tree = MakeTree(200, 3);
        int caller = 0;
        using ManualResetEventSlim isLeft = new();
        using SemaphoreSlim helpers = new(0);
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "getdents64" && Environment.CurrentManagedThreadId != Volatile.Read(ref caller))
            {
                helpers.Release();
                isLeft.Wait(Watchdog.Patience);
            }

            return 0;
        });

        // On a thread of its own: whoever the pool has is to help.
        await Task.Factory.StartNew(
            () =>
            {
                Volatile.Write(ref caller, Environment.CurrentManagedThreadId);
                IEnumerable<string> files = wantsDetails
                    ? SluiceFile.EnumerateFileEntries(tree, "*", All).Select(e => e.Path)
                    : SluiceFile.EnumerateFiles(tree, "*", SearchOption.AllDirectories);
                using IEnumerator<string> enumerator = files.GetEnumerator();
                for (int i = 0; i < 200 && helpers.CurrentCount == 0; i++)
                {
                    enumerator.MoveNext().ShouldBeTrue();
                }

                helpers.Wait(Watchdog.Patience).ShouldBeTrue("nobody came to help");
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        // No collection closes meanwhile what was left behind.
        bool isWithoutCollections = GC.TryStartNoGCRegion(64 << 20);
        isLeft.Set();
        for (int i = 0; i < 6000 && OpenBelow(tree).Length > 0; i++)
        {
            await Task.Delay(10);
        }

        SystemCallFaults.Use(null);
        string[] open = OpenBelow(tree);
        if (isWithoutCollections)
        {
            EndWithoutCollections();
        }

        open.ShouldBeEmpty("closed by the next collection, if at all");
    }

    private static void EndWithoutCollections()
    {
        try
        {
            GC.EndNoGCRegion();
        }
        catch (InvalidOperationException)
        {
            // Somebody wanted more memory than it had, and a collection has ended it.
        }
    }

    [SkippableTheory]
    [InlineData("pread")]
    [InlineData("pwrite")]
    public async Task What_is_left_of_a_cut_direct_transfer_begins_at_a_block(string cut)
    {
        Skip.IfNot(Directory.Exists("/dev/shm"), "a file system that takes direct transfers of any length");
        using TempFolder memory = new("/dev/shm");
        string source = memory.NewFile(Content);
        string target = memory.NewPath();
        ConcurrentBag<long> lengths = [];
        int cuts = 0;
        SystemCallFaults.Use((call, _, length) =>
        {
            if (call is not ("pread" or "pwrite") || length < Align)
            {
                return 0;
            }

            lengths.Add(length);
            return call == cut && Interlocked.Increment(ref cuts) <= 3 ? Align + 700 : 0;
        });
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Method = CopyMethod.Direct, Depth = 2 });
        SystemCallFaults.Use(null);
        cuts.ShouldBeGreaterThan(0);
        File.ReadAllBytes(target).ShouldBeBytes(Content);
        result.Bytes.ShouldBe(Content.Length);
        lengths.ShouldAllBe(length => length % 512 == 0);
    }

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task A_length_that_cannot_be_asked_for_is_no_end(string engine, FileCaching caching)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "statx is Linux's");
        string path = Temp.NewFile(Content.AsSpan(0, 100).ToArray());
        using SluiceHandle handle = SluiceHandle.Open(
            path, new SluiceOptions { Caching = caching, Engine = Engine(engine), Options = FileOptions.Asynchronous });
        byte[] buffer = new byte[50];
        int errors = 0;
        foreach (bool isAsync in (bool[])[false, true])
        {
            foreach (int offset in (int[])[0, 20, 60])
            {
                int transfers = 0;

                // The first transfer ends early, and then nobody says how long the file is.
                SystemCallFaults.Use((call, _, length) => call is "statx" or "fstat" ? -Errno.EIO
                    : length >= 50 && Interlocked.Increment(ref transfers) == 1 ? 20 : 0);
                int expected = Math.Min(100 - offset, 50);
                Exception? error = await Record.ExceptionAsync(async () =>
                    (isAsync ? await handle.ReadAsync(buffer, offset) : handle.Read(buffer, offset)).ShouldBe(expected));
                SystemCallFaults.Use(null);
                (error is null or IOException).ShouldBeTrue($"{error}");
                errors += error is null ? 0 : 1;
                (isAsync ? await handle.ReadAsync(buffer, offset) : handle.Read(buffer, offset)).ShouldBe(expected);
            }
        }

        errors.ShouldBeGreaterThan(0);
    }

    private static async Task PoolIsIdleAsync()
    {
        for (int i = 0; i < 3 || ThreadPool.PendingWorkItemCount > 0; i++)
        {
            await Task.Delay(5);
            await Task.Run(static () => { });
        }
    }

    private string MakeTree(int folders, int filesOfEach)
    {
        string root = Directory.CreateDirectory(Temp.NewPath()).FullName;
        for (int i = 0; i < folders; i++)
        {
            string folder = Directory.CreateDirectory(Path.Combine(root, $"folder-{i}")).FullName;
            for (int k = 0; k < filesOfEach; k++)
            {
                File.WriteAllBytes(Path.Combine(folder, $"file-{k}"), Content.AsSpan(0, 100).ToArray());
            }
        }

        return root;
    }

    /// <summary>What is open of this test without O_CLOEXEC.</summary>
    private IEnumerable<string> Inherited()
    {
        const int closeOnExec = 0x80000;
        foreach (string descriptor in Directory.GetFileSystemEntries("/proc/self/fd"))
        {
            string? found = null;
            try
            {
                if (new FileInfo(descriptor).LinkTarget is { } target && target.StartsWith(Temp.Root, StringComparison.Ordinal))
                {
                    string line = File.ReadLines($"/proc/self/fdinfo/{Path.GetFileName(descriptor)}")
                        .First(l => l.StartsWith("flags:", StringComparison.Ordinal));
                    int flags = Convert.ToInt32(line["flags:".Length..].Trim(), 8);
                    found = (flags & closeOnExec) == 0 ? string.Create(CultureInfo.InvariantCulture, $"{target} ({flags:x})") : null;
                }
            }
            catch (IOException)
            {
                // Closed meanwhile.
            }

            if (found is not null)
            {
                yield return found;
            }
        }
    }

    private static string[] OpenBelow(string root) =>
        [.. Directory.GetFileSystemEntries("/proc/self/fd").Select(LinkOf).Where(l => l.StartsWith(root, StringComparison.Ordinal))];

    private static string LinkOf(string descriptor)
    {
        try
        {
            return new FileInfo(descriptor).LinkTarget ?? "";
        }
        catch (IOException)
        {
            return "";
        }
    }
}
