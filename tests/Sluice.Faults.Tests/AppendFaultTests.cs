using Shouldly;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>System calls that end early, and what is said of the rest.</summary>
public sealed class AppendFaultTests : FaultTests
{
    private const int EIO = 5;
    private const int RecordBytes = 160;

    [LinuxFact]
    public void Appends_that_are_cut_short_are_whole_and_where_they_say()
    {
        const int threads = 8;
        const int records = 150;
        string path = Path.Combine(Root, "log");
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite, FileShare.ReadWrite);
        int cut = 0;
        SystemCallFaults.Use((call, _, length) =>
            call == "write" && length > 1 ? 1 + (Interlocked.Increment(ref cut) % (length - 1)) : 0);
        long[][] offsets = [.. Enumerable.Range(0, threads).Select(static _ => new long[records])];
        Thread[] running = [.. offsets.Select((mine, t) => new Thread(() =>
        {
            for (int i = 0; i < records; i++)
            {
                mine[i] = handle.AppendAndGetOffset(RecordOf(t, i));
            }
        }))];
        Array.ForEach(running, static thread => thread.Start());
        Array.ForEach(running, static thread => thread.Join());
        SystemCallFaults.Use(null);
        byte[] written = File.ReadAllBytes(path);
        written.Length.ShouldBe(threads * records * RecordBytes);
        for (int t = 0; t < threads; t++)
        {
            for (int i = 0; i < records; i++)
            {
                written.AsSpan((int)offsets[t][i], RecordBytes).SequenceEqual(RecordOf(t, i))
                    .ShouldBeTrue($"record {i} of thread {t} at {offsets[t][i]}, {cut} cut");
            }
        }

        cut.ShouldBeGreaterThan(threads * records);
    }

    [LinuxTheory]
    [InlineData("Read", false)]
    [InlineData("Read", true)]
    [InlineData("Write", false)]
    [InlineData("Write", true)]
    public async Task An_error_behind_a_half_names_where_the_rest_begins(string what, bool isAsync)
    {
        const int offset = 1000;
        const int length = 40_000;
        string path = Path.Combine(Root, "file");
        await File.WriteAllBytesAsync(path, new byte[100_000]);
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite);
        int calls = 0;
        SystemCallFaults.Use((call, _, wanted) =>
            !call.Contains(what, StringComparison.OrdinalIgnoreCase) || wanted == 0 ? 0
            : Interlocked.Increment(ref calls) == 1 ? wanted / 2
            : -EIO);
        byte[] buffer = new byte[length];
        IOException error = await Should.ThrowAsync<IOException>(async () => _ = (what, isAsync) switch
        {
            ("Read", false) => handle.Read(buffer, offset),
            ("Read", true) => await handle.ReadAsync(buffer, offset),
            ("Write", false) => Done(() => handle.Write(buffer, offset)),
            _ => await DoneAsync(handle.WriteAsync(buffer, offset)),
        });

        // An asynchronous write that failed on the caller's thread is made once more from its front.
        bool fromFront = (what, isAsync) == ("Write", true)
            && error.Message.Contains($"at offset {offset} failed", StringComparison.Ordinal);
        error.Message.ShouldContain($"at offset {(fromFront ? offset : offset + (length / 2))} failed");
        error.HResult.ShouldBe(EIO);
    }

    [LinuxFact]
    public void A_folder_that_became_a_file_is_passed_over()
    {
        const int notDirectory = 20;
        Directory.CreateDirectory(Path.Combine(Root, "a", "b"));
        File.WriteAllText(Path.Combine(Root, "a", "in a"), "");
        File.WriteAllText(Path.Combine(Root, "a", "b", "in b"), "");
        int opened = 0;
        SystemCallFaults.Use((call, _, _) => call == "openat" && Interlocked.Increment(ref opened) == 3 ? -notDirectory : 0);
        EnumerationOptions everything = new() { RecurseSubdirectories = true, IgnoreInaccessible = false };
        SluiceFile.EnumerateFiles(Root, "*", everything).Select(Path.GetFileName).ShouldBe(["in a"]);
    }

    /// <summary>What stands in the file is not written again, and no number that was made up is told.</summary>
    /// <param name="isShared">The file cannot be opened again for appending.</param>
    /// <param name="isMoved">Somebody moves the position that is shared, and the length is not told; else the position is not.</param>
    /// <param name="caching">Whether the append passes the gate of a direct file.</param>
    /// <param name="isAsync">By which call.</param>
    [LinuxTheory]
    [InlineData(false, false, FileCaching.Cached, false)]
    [InlineData(false, false, FileCaching.Cached, true)]
    [InlineData(false, false, FileCaching.Direct, false)]
    [InlineData(false, false, FileCaching.Direct, true)]
    [InlineData(true, false, FileCaching.Cached, false)]
    [InlineData(true, false, FileCaching.Direct, true)]
    [InlineData(true, true, FileCaching.Cached, false)]
    public async Task An_append_whose_place_is_not_told_says_which_error_there_was_and_stands_there_once(
        bool isShared, bool isMoved, FileCaching caching, bool isAsync)
    {
        string path = Path.Combine(Root, "file");
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.ReadWrite,
            Caching = caching,
        });
        SystemCallFaults.Use((call, _, _) => isShared && call == "open" ? -EIO : 0);
        handle.AppendAndGetOffset("first..."u8).ShouldBe(0);
        bool isMoving = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (isMoved && call == "lseek" && !isMoving)
            {
                isMoving = true;
                Kernel.Libc.SetPosition(fd, 0).ShouldBeTrue();
                isMoving = false;
                return 0;
            }

            return call == (isMoved ? "fstat" : "lseek") && !isMoving ? -EIO : 0;
        });
        IOException error = await Should.ThrowAsync<IOException>(
            async () => _ = isAsync ? await handle.AppendAndGetOffsetAsync("second.."u8.ToArray()) : handle.AppendAndGetOffset("second.."u8));
        error.HResult.ShouldBe(EIO);
        SystemCallFaults.Use(null);
        handle.AppendAndGetOffset("third..."u8).ShouldBe(16);
        File.ReadAllText(path).ShouldBe("first...second..third...");
    }

    /// <summary>Some servers know no reads at all (ENOSYS): that the kernel knows them is not forgotten for it.</summary>
    [LinuxFact]
    public async Task A_file_that_knows_no_reads_leaves_the_reads_of_others_as_they_are()
    {
        const int ENOSYS = 38;
        string path = Path.Combine(Root, "file");
        byte[] content = Pattern.Bytes(5, 4096);
        await File.WriteAllBytesAsync(path, content);
        using SluiceHandle strange = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read);
        using SluiceHandle other = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read);
        byte[] buffer = new byte[content.Length];
        Skip.IfNot(await ReadsAtOnceAsync(), "the page cache does not have what was just written, or cannot be asked");
        int asked = 0;
        SystemCallFaults.Use((call, fd, _) =>
        {
            bool isStrange = call == "preadv2" && fd == strange.Descriptor;
            asked += isStrange ? 1 : 0;
            return isStrange ? -ENOSYS : 0;
        });
        (await strange.ReadAsync(new byte[content.Length], 0)).ShouldBe(content.Length);
        asked.ShouldBeGreaterThan(0);
        SystemCallFaults.Use(null);
        (await ReadsAtOnceAsync()).ShouldBeTrue();
        buffer.ShouldBe(content);

        async Task<bool> ReadsAtOnceAsync()
        {
            ValueTask<int> read = other.ReadAsync(buffer, 0);
            bool isThere = read.IsCompleted;
            (await read).ShouldBe(content.Length);
            return isThere;
        }
    }

    private static int Done(Action act)
    {
        act();
        return 0;
    }

    private static async Task<int> DoneAsync(ValueTask task)
    {
        await task;
        return 0;
    }

    private static byte[] RecordOf(int thread, int number) => Pattern.Bytes((thread * 1_000_003) + number, RecordBytes);
}
