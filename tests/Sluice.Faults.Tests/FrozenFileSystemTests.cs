using Shouldly;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// A frozen file system takes no write until it is thawed. Asynchronous writes return to their callers all the same; one caller for each
/// device may find that out by waiting. Other file systems do not wait.
/// </summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class FrozenFileSystemTests
{
    private const int Callers = 8;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);
    private static readonly byte[] Record = [.. Enumerable.Range(0, 200).Select(static i => (byte)i)];

    [SkippableTheory]
    [InlineData("WriteAsync")]
    [InlineData("WriteAsync of a list")]
    [InlineData("AppendAsync")]
    [InlineData("AppendAsync beside Append")]
    [InlineData("SluiceStream.WriteAsync")]
    [InlineData("SluiceStream.FlushAsync")]
    [InlineData("SluiceStream.DisposeAsync")]
    [InlineData("SluiceWriter.FlushAsync")]
    [InlineData("SluiceWriter.CompleteAsync")]
    [InlineData("AppendAllTextAsync")]
    [InlineData("WriteAsync", FileSystemKind.Xfs)]
    [InlineData("AppendAsync", FileSystemKind.Xfs)]
    [InlineData("SluiceStream.FlushAsync", FileSystemKind.Xfs)]
    public async Task At_most_one_of_eight_callers_waits(string way, FileSystemKind kind = FileSystemKind.Ext4)
    {
        Skip.IfNot(Command.Exists("fsfreeze"), "it needs fsfreeze");
        using Mount mount = Mount.OrSkip(kind);
        string[] paths = [.. Enumerable.Range(0, Callers).Select(i => Path.Combine(mount.Folder, $"file{i}"))];
        Func<Task>[] writes = new Func<Task>[Callers];
        List<IDisposable> opened = [];
        Thread? held = null;
        for (int i = 0; i < Callers; i++)
        {
            writes[i] = Prepare(way, paths[i], opened);
        }

        Task[] pending = new Task[Callers];
        int returned = 0;
        Thread[] callers = [.. Enumerable.Range(0, Callers).Select(i => new Thread(() =>
        {
            pending[i] = writes[i]();
            Interlocked.Increment(ref returned);
        })
        {
            IsBackground = true,
        })];
        Command.Run("fsfreeze", "--freeze", mount.Folder);
        bool haveReturned;
        try
        {
            if (way == "AppendAsync beside Append")
            {
                SluiceHandle handle = (SluiceHandle)opened[0];
                held = new Thread(() => handle.Append(Record)) { IsBackground = true };
                held.Start();
            }

            Array.ForEach(callers, static caller => caller.Start());
            haveReturned = await Task.Run(() => SpinWait.SpinUntil(() => Volatile.Read(ref returned) >= Callers - 1, Patience));
        }
        finally
        {
            Command.Run("fsfreeze", "--unfreeze", mount.Folder);
        }

        Array.ForEach(callers, static caller => caller.Join());
        held?.Join();
        await Task.WhenAll(pending).WaitAsync(Patience);
        opened.ForEach(static o => o.Dispose());
        haveReturned.ShouldBeTrue($"only {returned} of {Callers} callers returned before the file system was thawed");
        for (int i = 0; i < Callers; i++)
        {
            File.ReadAllBytes(paths[i]).AsSpan(0, Record.Length).SequenceEqual(Record).ShouldBeTrue(paths[i]);
        }
    }

    /// <summary>The kernel passes what it cannot begin at once to workers, of which each thread that submits has a limited number.</summary>
    [SkippableFact]
    public async Task A_file_of_another_file_system_is_flushed_meanwhile()
    {
        const int blocks = 40;
        const int blockBytes = 4096;
        Skip.IfNot(Command.Exists("fsfreeze"), "it needs fsfreeze");
        Skip.If(SluiceEngines.UringReason is not null, $"it needs a ring: {SluiceEngines.UringReason}");
        using Mount mount = Mount.OrSkip(FileSystemKind.Ext4);
        using Mount other = Mount.OrSkip(FileSystemKind.Ext4);
        string path = Path.Combine(mount.Folder, "far");
        File.WriteAllBytes(path, new byte[blocks * blockBytes]);
        using SluiceHandle far = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, caching: FileCaching.Direct);
        using SluiceHandle near = SluiceHandle.Open(Path.Combine(other.Folder, "near"), FileMode.CreateNew, FileAccess.ReadWrite);
        Skip.If(far.Caching != FileCaching.Direct, far.CachingReason);
        near.Write(Record, 0);
        byte[] block = new byte[blockBytes];
        Array.Fill(block, (byte)7);
        Task[] writes = [];
        Task? flush = null;
        using ManualResetEventSlim submitted = new();
        using ManualResetEventSlim thawed = new();

        // The thread stays: the kernel cancels what a thread has submitted when it ends.
        Thread submitter = new(() =>
        {
            writes = [.. Enumerable.Range(0, blocks).Select(i => far.WriteAsync(block, i * blockBytes).AsTask())];
            flush = near.FlushDataToDiskAsync().AsTask();
            submitted.Set();
            thawed.Wait();
        })
        {
            IsBackground = true,
        };
        Command.Run("fsfreeze", "--freeze", mount.Folder);
        bool hasFlushed = false;
        try
        {
            submitter.Start();
            submitted.Wait(Patience).ShouldBeTrue("a write did not return to its caller");
            hasFlushed = await Task.WhenAny(flush!, Task.Delay(Patience)) == flush;
            writes.ShouldAllBe(static w => !w.IsCompleted, "else nothing was seen");
        }
        finally
        {
            Command.Run("fsfreeze", "--unfreeze", mount.Folder);
            thawed.Set();
        }

        submitter.Join();
        await Task.WhenAll([.. writes, flush!]).WaitAsync(Patience);
        hasFlushed.ShouldBeTrue("the flush waited for the frozen file system");
        File.ReadAllBytes(path).ShouldAllBe(static b => b == 7);
    }

    /// <summary>Opens a file, and returns what writes to it while the file system is frozen.</summary>
    private static Func<Task> Prepare(string way, string path, List<IDisposable> opened)
    {
        if (way.StartsWith("AppendAll", StringComparison.Ordinal))
        {
            File.WriteAllBytes(path, Record);
            return () => SluiceFile.AppendAllTextAsync(path, "text");
        }

        if (way.StartsWith("SluiceWriter", StringComparison.Ordinal))
        {
            SluiceWriter writer = new(path);
            opened.Add(writer);
            writer.Write(Record);
            return way == "SluiceWriter.FlushAsync" ? () => writer.FlushAsync().AsTask() : () => writer.CompleteAsync().AsTask();
        }

        if (way.Contains("Stream", StringComparison.Ordinal))
        {
            bool isBuffered = !way.EndsWith("WriteAsync", StringComparison.Ordinal);
            SluiceStream stream = new(path, new SluiceOptions
            {
                Mode = FileMode.Create,
                Access = FileAccess.Write,
                BufferSize = isBuffered ? 4096 : 0,
            });
            opened.Add(stream);
            if (isBuffered)
            {
                stream.Write(Record);
            }

            return way switch
            {
                "SluiceStream.WriteAsync" => () => stream.WriteAsync(Record).AsTask(),
                "SluiceStream.FlushAsync" => () => stream.FlushAsync(),
                _ => () => stream.DisposeAsync().AsTask(),
            };
        }

        SluiceHandle handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite, FileShare.ReadWrite);
        opened.Add(handle);
        return way switch
        {
            "WriteAsync" => () => handle.WriteAsync(Record, 0).AsTask(),
            "WriteAsync of a list" => () =>
                handle.WriteAsync((ReadOnlyMemory<byte>[])[Record.AsMemory(0, 100), Record.AsMemory(100)], 0).AsTask(),
            _ => () => handle.AppendAsync(Record).AsTask(),
        };
    }
}
