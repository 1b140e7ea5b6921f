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

    [LinuxFact]
    public async Task Nothing_that_the_library_opens_is_a_childs_too()
    {
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
    [LinuxTheory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void The_names_of_a_logs_new_folders_are_made_durable(LogFormat format)
    {
        string root = Temp.NewPath();
        Directory.CreateDirectory(root);
        ConcurrentBag<string> flushed = [];
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call == "fsync")
            {
                flushed.Add(OpenFiles.NameOf(fd));
            }

            return 0;
        });
        string log = Path.Combine(root, "a", "b", "log");
        using (SluiceLog opened = SluiceLog.Open(log + "/", new SluiceLogOptions { Format = format }))
        {
            opened.Append("a record"u8, LogDurability.Durable);
            SystemCallFaults.Use(null);
        }

        flushed.ShouldContain(log);
        flushed.ShouldContain(Path.Combine(root, "a", "b"));
        flushed.ShouldContain(Path.Combine(root, "a"));
        flushed.ShouldContain(root);
    }

    /// <summary>Another program has deleted the folder of a raw log and created it again.</summary>
    [LinuxFact]
    public void The_name_of_a_folder_that_was_created_again_is_made_durable()
    {
        string parent = Temp.NewPath();
        string directory = Directory.CreateDirectory(Path.Combine(parent, "log")).FullName;
        using SluiceLog log = SluiceLog.Open(directory, new SluiceLogOptions { Format = LogFormat.Raw });
        log.Append("a record\n"u8, LogDurability.Durable);
        Directory.Delete(directory, recursive: true);
        Directory.CreateDirectory(directory);
        ConcurrentBag<string> flushed = [];
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call == "fsync")
            {
                flushed.Add(OpenFiles.NameOf(fd));
            }

            return 0;
        });
        log.Append("another\n"u8, LogDurability.Durable);
        SystemCallFaults.Use(null);
        flushed.ShouldContain(parent);
        flushed.ShouldContain(directory);
        Directory.GetFiles(directory).Length.ShouldBe(1);
    }

    [LinuxTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_walk_that_ends_early_is_its_callers_work_alone(bool wantsDetails)
    {
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

    [LinuxTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_helper_that_is_in_a_step_closes_its_folder_when_the_walk_was_left(bool wantsDetails)
    {
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
        for (int i = 0; i < 6000 && OpenFiles.Of(tree).Count > 0; i++)
        {
            await Task.Delay(10);
        }

        SystemCallFaults.Use(null);
        IReadOnlyList<string> open = OpenFiles.Of(tree);
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
}
