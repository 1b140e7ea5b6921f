using Shouldly;
using Sluice.Engines;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A file system whose program has stopped keeps those waiting who asked it, and nobody else.</summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class UnansweringTests : FaultTests
{
    private const int BlockBytes = 4096;
    private const int FileBytes = 64 * BlockBytes;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    [SkippableTheory]
    [InlineData(FileCaching.Direct, false)]
    [InlineData(FileCaching.Direct, true)]
    [InlineData(FileCaching.Cached, false)]
    public async Task Other_files_are_read_meanwhile(FileCaching caching, bool writes)
    {
        using Mount mount = Mount.OrSkip(FileSystemKind.Bindfs);
        string program = Program(mount);
        byte[] content = new byte[FileBytes];
        Random.Shared.NextBytes(content);
        string far = Path.Combine(mount.Folder, "far");
        string near = Path.Combine(Root, "near");
        await File.WriteAllBytesAsync(far, content);
        await File.WriteAllBytesAsync(near, content);

        // From the disk, and out of the page cache, which would answer without asking.
        Command.Run("dd", $"if={far}", "iflag=nocache", "count=0", "status=none");
        using SluiceHandle farHandle = SluiceHandle.Open(
            far, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, FileOptions.Asynchronous, 0, caching);
        using SluiceHandle nearHandle = SluiceHandle.Open(
            near, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, FileOptions.Asynchronous, 0, FileCaching.Direct);

        // What is found out once for each open file is asked while somebody answers.
        (await nearHandle.ReadAsync(new byte[BlockBytes], 0)).ShouldBe(BlockBytes);
        (await farHandle.ReadAsync(new byte[BlockBytes], FileBytes - BlockBytes)).ShouldBe(BlockBytes);

        Command.Run("kill", "-STOP", program);
        Task<byte[]>[] waiting;
        try
        {
            // Each keeps a thread of the pool, which makes new ones slowly.
            waiting = [.. Enumerable.Range(0, 3).Select(i => Task.Run(() => AskAsync(i)))];
            for (int i = 0; i < FileBytes / BlockBytes; i++)
            {
                byte[] block = new byte[BlockBytes];
                int place = i * BlockBytes;
                (await Task.Run(async () => await nearHandle.ReadAsync(block, place)).WaitAsync(Patience)).ShouldBe(BlockBytes);
                block.ShouldBe(content[place..(place + BlockBytes)]);
            }

            waiting.ShouldAllBe(t => !t.IsCompleted, "else nothing was seen");
        }
        finally
        {
            Command.Run("kill", "-CONT", program);
        }

        for (int i = 0; i < waiting.Length; i++)
        {
            (await waiting[i].WaitAsync(Patience)).ShouldBe(content[(i * BlockBytes)..((i + 1) * BlockBytes)]);
        }

        async Task<byte[]> AskAsync(int index)
        {
            byte[] block = content[(index * BlockBytes)..((index + 1) * BlockBytes)];
            if (writes)
            {
                await farHandle.WriteAsync(block, index * BlockBytes);
            }
            else
            {
                block = new byte[BlockBytes];
                (await farHandle.ReadAsync(block, index * BlockBytes)).ShouldBe(BlockBytes);
            }

            return block;
        }
    }

    [SkippableTheory]
    [InlineData("write")]
    [InlineData("vector")]
    [InlineData("append")]
    public async Task Who_writes_asynchronously_goes_on_meanwhile(string way)
    {
        using Mount mount = Mount.OrSkip(FileSystemKind.Bindfs);
        using SluiceHandle handle = SluiceHandle.Open(
            Path.Combine(mount.Folder, "far"), FileMode.CreateNew, FileAccess.ReadWrite, FileShare.ReadWrite, FileOptions.Asynchronous);

        // Until they have been quick for a while: what was slow is written by threads of the pool anyway.
        for (int i = 0; i < 50; i++)
        {
            await WriteAsync();
        }

        await ReturnsMeanwhileAsync(mount, WriteAsync);

        Task WriteAsync() => way switch
        {
            "write" => handle.WriteAsync(new byte[BlockBytes], 0).AsTask(),
            "vector" => handle.WriteAsync((ReadOnlyMemory<byte>[])[new byte[BlockBytes], new byte[BlockBytes]], 0).AsTask(),
            _ => handle.AppendAsync(new byte[BlockBytes]).AsTask(),
        };
    }

    /// <summary>Threads that have submitted to a ring leave calls on FUSE to others, of which there is no end for another file system.</summary>
    [SkippableFact]
    public async Task Files_of_another_program_are_read_meanwhile()
    {
        const int threads = 100;
        const int waiting = 130;
        using Mount mount = Mount.OrSkip(FileSystemKind.Bindfs);
        using Mount other = Mount.OrSkip(FileSystemKind.Bindfs);
        string program = Program(mount);
        using SluiceHandle far = await OpenAsync(mount);
        using SluiceHandle near = await OpenAsync(other);
        ThreadPool.GetMinThreads(out int least, out int leastPorts);
        ThreadPool.SetMinThreads(threads + waiting, leastPorts).ShouldBeTrue();
        Task<int>[] reads = [];
        Command.Run("kill", "-STOP", program);
        try
        {
            using Barrier all = new(threads);
            await Task.WhenAll(Enumerable.Range(0, threads).Select(_ => Task.Run(() =>
            {
                FuseThreads.NoteSubmission();
                all.SignalAndWait();
            }))).WaitAsync(Patience);
            reads = [.. Enumerable.Range(0, waiting).Select(_ => far.ReadAsync(new byte[BlockBytes], 0).AsTask())];
            for (int i = 0; i < 8; i++)
            {
                (await near.ReadAsync(new byte[BlockBytes], 0).AsTask().WaitAsync(Patience)).ShouldBe(BlockBytes);
            }

            reads.ShouldAllBe(t => !t.IsCompleted, "else nothing was seen");
        }
        finally
        {
            Command.Run("kill", "-CONT", program);
            ThreadPool.SetMinThreads(least, leastPorts);
        }

        (await Task.WhenAll(reads).WaitAsync(Patience)).ShouldAllBe(static bytes => bytes == BlockBytes);

        static async Task<SluiceHandle> OpenAsync(Mount mount)
        {
            string path = Path.Combine(mount.Folder, "file");
            await File.WriteAllBytesAsync(path, new byte[FileBytes]);
            SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct);
            (await handle.ReadAsync(new byte[BlockBytes], 0)).ShouldBe(BlockBytes);
            return handle;
        }
    }

    /// <summary>The first call on a mount finds out that it is FUSE, and does not ask its program.</summary>
    [SkippableTheory]
    [InlineData("read")]
    [InlineData("write")]
    [InlineData("flush")]
    public async Task Who_calls_asynchronously_for_the_first_time_goes_on_meanwhile(string way)
    {
        Skip.If(Environment.OSVersion.Version < new Version(6, 8), "it needs statmount (Linux 6.8)");
        using Mount mount = Mount.OrSkip(FileSystemKind.Bindfs);
        string path = Path.Combine(mount.Folder, "far");
        await File.WriteAllBytesAsync(path, new byte[FileBytes]);

        // It is opened with an empty page cache, so that a read has to ask.
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite);
        await ReturnsMeanwhileAsync(mount, () => way switch
        {
            "read" => handle.ReadAsync(new byte[BlockBytes], 0).AsTask(),
            "write" => handle.WriteAsync(new byte[BlockBytes], 0).AsTask(),
            _ => handle.FlushToDiskAsync().AsTask(),
        });
    }

    [SkippableTheory]
    [InlineData("flush")]
    [InlineData("complete")]
    [InlineData("dispose")]
    public async Task Who_ends_a_writer_asynchronously_goes_on_meanwhile(string way)
    {
        using Mount mount = Mount.OrSkip(FileSystemKind.Bindfs);
        SluiceWriter writer = new(Path.Combine(mount.Folder, "far"));
        for (int i = 0; i < 50; i++)
        {
            await writer.WriteAsync(new byte[BlockBytes]);
            await writer.FlushAsync();
        }

        await writer.WriteAsync(new byte[BlockBytes]);
        await ReturnsMeanwhileAsync(mount, () => (way switch
        {
            "flush" => writer.FlushAsync(),
            "complete" => writer.CompleteAsync(),
            _ => writer.DisposeAsync(),
        }).AsTask());
        await writer.DisposeAsync();
        new FileInfo(Path.Combine(mount.Folder, "far")).Length.ShouldBe(51 * BlockBytes);
    }

    /// <summary>What a caller cancels may stand still; who cancels does not.</summary>
    [SkippableTheory]
    [InlineData(FileCaching.Direct, BlockBytes)]
    [InlineData(FileCaching.Cached, 8 * 1024 * 1024)]
    public async Task Who_cancels_goes_on_meanwhile(FileCaching caching, int bytes)
    {
        using Mount mount = Mount.OrSkip(FileSystemKind.Bindfs);
        string program = Program(mount);
        string path = Path.Combine(mount.Folder, "far");
        await File.WriteAllBytesAsync(path, new byte[FileBytes]);

        // The pool engine asks no file where it lies.
        using IDisposable use = IoEngine.UseForCurrentContext(ThreadPoolEngine.Instance);
        using SluiceHandle handle = SluiceHandle.Open(
            path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, FileOptions.Asynchronous, 0, caching);
        using CancellationTokenSource stop = new();
        Task? read = null;
        bool hasCancelled;
        Command.Run("kill", "-STOP", program);
        try
        {
            read = Task.Run(async () => await handle.ReadAsync(new byte[bytes], 0, stop.Token));
            int descriptor = (int)handle.SafeFileHandle.DangerousGetHandle();
            SpinWait.SpinUntil(() => read.IsCompleted || IsInCallOf(descriptor), Patience).ShouldBeTrue("nobody reads");
            Thread canceller = new(stop.Cancel) { IsBackground = true };
            canceller.Start();
            hasCancelled = canceller.Join(Patience);
        }
        finally
        {
            Command.Run("kill", "-CONT", program);
        }

        await Task.WhenAny(read).WaitAsync(Patience);
        hasCancelled.ShouldBeTrue();
    }

    /// <summary>Makes a call on a thread of its own while the mount's program has stopped: it returns, and its task ends later.</summary>
    private static async Task ReturnsMeanwhileAsync(Mount mount, Func<Task> call)
    {
        string program = Program(mount);
        Task? called = null;
        bool hasReturned;
        Thread caller = new(() => called = call()) { IsBackground = true };
        Command.Run("kill", "-STOP", program);
        try
        {
            caller.Start();
            hasReturned = caller.Join(Patience);
            called?.IsCompleted.ShouldBeFalse("else nothing was seen");
        }
        finally
        {
            Command.Run("kill", "-CONT", program);
        }

        caller.Join();
        await called!.WaitAsync(Patience);
        hasReturned.ShouldBeTrue();
    }

    /// <summary>Returns true if a thread of this process is in a system call whose first argument is the descriptor.</summary>
    private static bool IsInCallOf(int descriptor) => Directory.GetDirectories("/proc/self/task").Any(task =>
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "syscall")).Split(' ') is [_, { } first, ..] && first == $"0x{descriptor:x}";
        }
        catch (IOException)
        {
            // The thread has ended meanwhile.
            return false;
        }
    });

    /// <summary>The number of the process that answers for it.</summary>
    private static string Program(Mount mount)
    {
        Skip.IfNot(Command.Exists("pgrep") && Command.Exists("kill"), "it needs pgrep and kill (procps)");
        return Command.Run("pgrep", "-f", $"bindfs.*{mount.Folder}").Split('\n')[0];
    }
}
