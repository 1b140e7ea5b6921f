using System.Text;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>What is not told of a followed file, and what is renamed between two looks at it: no line comes twice.</summary>
public sealed class FollowSeamTests : HostileTests
{
    private static readonly SluiceFollowOptions Options = new() { FromStart = true, PollInterval = TimeSpan.FromMilliseconds(1) };

    /// <summary>A file of which nothing is told is no other file than itself.</summary>
    [LinuxFact]
    public async Task A_first_file_that_cannot_be_looked_at_is_an_error()
    {
        string path = Temp.NewPath();
        File.WriteAllText(path, "a\nb\n");
        FailSecondLookAt(path);
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = SluiceReader.FollowAsync(path, Options).GetAsyncEnumerator();
        IOException error = await Should.ThrowAsync<IOException>(() => NextAsync(lines));
        error.Message.ShouldContain(path);
    }

    [LinuxFact]
    public async Task A_later_file_that_cannot_be_looked_at_for_a_moment_is_read_once()
    {
        string path = Temp.NewPath();
        File.WriteAllText(path, "x\n");
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = SluiceReader.FollowAsync(path, Options).GetAsyncEnumerator();
        (await NextAsync(lines)).ShouldBe("x");
        string next = Temp.NewPath();
        File.WriteAllText(next, "a\nb\n");
        FailSecondLookAt(path);
        File.Move(next, path, overwrite: true);
        (await NextAsync(lines)).ShouldBe("a");
        (await NextAsync(lines)).ShouldBe("b");
        int looks = 0;
        SystemCallFaults.Use((call, _, _) => call == "fstat" ? Interlocked.Increment(ref looks) * 0 : 0);
        Task<string> last = NextAsync(lines);
        await UntilAsync(() => Volatile.Read(ref looks) > 4);
        File.AppendAllText(path, "c\n");
        (await last).ShouldBe("c");
    }

    [LinuxFact]
    public async Task What_is_written_between_a_rename_and_the_new_file_is_read()
    {
        string path = Temp.NewPath();
        File.WriteAllText(path, "one\n");
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = SluiceReader.FollowAsync(path, Options).GetAsyncEnumerator();
        (await NextAsync(lines)).ShouldBe("one");
        await using FileStream writer = new(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, 0);
        File.Move(path, path + ".1");
        foreach (string text in (string[])["two", "three"])
        {
            Task<string> next = NextAsync(lines);
            await AfterLooksAsync();
            next.IsCompleted.ShouldBeFalse();
            writer.Write(Encoding.ASCII.GetBytes(text + "\n"));
            (await next).ShouldBe(text);
        }

        File.WriteAllText(path, "four\n");
        (await NextAsync(lines)).ShouldBe("four");
    }

    /// <summary>The writer may not have switched to the new file yet.</summary>
    [LinuxFact]
    public async Task What_is_written_to_the_old_file_while_the_new_one_is_opened_is_read_first()
    {
        string path = Temp.NewPath();
        string old = path + ".1";
        File.WriteAllText(path, "one\n");
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = SluiceReader.FollowAsync(path, Options).GetAsyncEnumerator();
        (await NextAsync(lines)).ShouldBe("one");
        File.Move(path, old);
        int opened = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "openat" && Interlocked.Increment(ref opened) == 1)
            {
                File.AppendAllText(old, "two\n");
            }

            return 0;
        });
        File.WriteAllText(path, "three\n");
        (await NextAsync(lines)).ShouldBe("two");
        (await NextAsync(lines)).ShouldBe("three");
    }

    [LinuxTheory]
    [InlineData("unreadable")]
    [InlineData("folder")]
    [InlineData("FIFO")]
    public async Task What_is_no_readable_file_under_the_name_is_waited_out(string what)
    {
        Skip.If(what == "unreadable" && Environment.IsPrivilegedProcess, "root may read every file");
        string path = Temp.NewPath();
        File.WriteAllText(path, "one\n");
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = SluiceReader.FollowAsync(path, Options).GetAsyncEnumerator();
        (await NextAsync(lines)).ShouldBe("one");
        Task<string> next = NextAsync(lines);
        File.Move(path, path + ".1");
        switch (what)
        {
            case "folder":
                Directory.CreateDirectory(path);
                break;
            case "FIFO":
                Native.MakeFifo(path);
                break;
            default:
                File.Create(path, 1, FileOptions.None).Dispose();
#pragma warning disable CA1416 // Skipped on Windows.
                File.SetUnixFileMode(path, UnixFileMode.None);
#pragma warning restore CA1416
                break;
        }

        await AfterLooksAsync();
        next.IsCompleted.ShouldBeFalse();
        string good = Temp.NewPath();
        File.WriteAllText(good, "two\n");
        if (what == "folder")
        {
            Directory.Delete(path);
        }

        File.Move(good, path, overwrite: true);
        (await next).ShouldBe("two");
    }

    /// <summary>Its length is 0 in front of what was read, and it was not cut.</summary>
    [SkippableTheory]
    [InlineData("/proc/sys/kernel/osrelease")]
    [InlineData("/proc/sys/kernel/pid_max")]
    [InlineData("/proc/version")]
    public async Task A_file_without_a_length_gives_its_lines_once(string path)
    {
        Skip.IfNot(File.Exists(path), "there is no such file here");
        int looks = 0;
        SystemCallFaults.Use((call, _, _) => call is "fstat" ? Interlocked.Increment(ref looks) * 0 : 0);
        using CancellationTokenSource stop = new();
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines =
            SluiceReader.FollowAsync(path, Options, stop.Token).GetAsyncEnumerator(stop.Token);
        (await NextAsync(lines)).ShouldBe(File.ReadAllText(path).TrimEnd('\n'));
        Task<bool> next = lines.MoveNextAsync().AsTask();
        int before = Volatile.Read(ref looks);
        await UntilAsync(() => next.IsCompleted || Volatile.Read(ref looks) > before + 10);
        await stop.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => next, "the line comes again");
    }

    /// <summary>Another file has the name when it is looked at, and the first one again when it is opened.</summary>
    [LinuxFact]
    public async Task A_file_that_gets_its_name_back_is_not_read_again()
    {
        string path = Temp.NewPath();
        string aside = Temp.NewPath();
        File.WriteAllText(path, "a\nb\n");
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = SluiceReader.FollowAsync(path, Options).GetAsyncEnumerator();
        (await NextAsync(lines)).ShouldBe("a");
        (await NextAsync(lines)).ShouldBe("b");
        File.Copy(path, aside);
        Exchange(path, aside);
        int opened = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call is "openat" or "openat2" or "open" && Interlocked.Increment(ref opened) == 1)
            {
                Exchange(path, aside);
            }

            return 0;
        });
        Task<string> last = NextAsync(lines);
        await UntilAsync(() => Volatile.Read(ref opened) > 0);
        File.AppendAllText(path, "c\n");
        (await last).ShouldBe("c");
    }

    /// <summary>The first look is that of who opens it.</summary>
    private static void FailSecondLookAt(string path)
    {
        int looks = 0;
        SystemCallFaults.Use((call, fd, _) =>
            call == "statx" && OpenFiles.NameOf(fd) == path && Interlocked.Increment(ref looks) == 2
                ? -Errno.EIO : 0);
    }

    private static void Exchange(string one, string other)
    {
        File.Move(one, one + "-");
        File.Move(other, one);
        File.Move(one + "-", other);
    }

    /// <summary>Returns when a name has been looked at a few times.</summary>
    private static async Task AfterLooksAsync()
    {
        int looks = 0;
        SystemCallFaults.Use((call, _, _) => call == "statx" ? Interlocked.Increment(ref looks) * 0 : 0);
        await UntilAsync(() => Volatile.Read(ref looks) > 4);
        SystemCallFaults.Use(null);
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        using CancellationTokenSource patience = new(Watchdog.Patience);
        while (!condition())
        {
            await Task.Delay(1, patience.Token);
        }
    }

    private static async Task<string> NextAsync(IAsyncEnumerator<ReadOnlyMemory<byte>> lines)
    {
        (await lines.MoveNextAsync().AsTask().WaitAsync(TimeSpan.FromMinutes(1))).ShouldBeTrue();
        return Encoding.ASCII.GetString(lines.Current.Span);
    }
}
