using System.Text;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>What is not told of a followed file, and what is renamed between two looks at it: no line comes twice.</summary>
public sealed class FollowSeamTests : HostileTests
{
    private static readonly SluiceFollowOptions Options = new() { FromStart = true, PollInterval = TimeSpan.FromMilliseconds(1) };

    /// <summary>A file of which nothing is told is no other file than itself.</summary>
    [SkippableFact]
    public async Task A_first_file_that_cannot_be_looked_at_is_an_error()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
        string path = Temp.NewPath();
        File.WriteAllText(path, "a\nb\n");
        FailSecondLookAt(path);
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = SluiceReader.FollowAsync(path, Options).GetAsyncEnumerator();
        IOException error = await Should.ThrowAsync<IOException>(() => NextAsync(lines));
        error.Message.ShouldContain(path);
    }

    [SkippableFact]
    public async Task A_later_file_that_cannot_be_looked_at_for_a_moment_is_read_once()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
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
        Task<string> last = NextAsync(lines);
        await Task.Delay(50);
        File.AppendAllText(path, "c\n");
        (await last).ShouldBe("c");
    }

    /// <summary>Another file has the name when it is looked at, and the first one again when it is opened.</summary>
    [SkippableFact]
    public async Task A_file_that_gets_its_name_back_is_not_read_again()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the seam is in Linux's calls");
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
        await Task.Delay(50);
        File.AppendAllText(path, "c\n");
        (await last).ShouldBe("c");
        opened.ShouldBeGreaterThan(0);
    }

    /// <summary>The first look is that of who opens it.</summary>
    private static void FailSecondLookAt(string path)
    {
        int looks = 0;
        SystemCallFaults.Use((call, fd, _) =>
            call == "statx" && fd >= 0 && new FileInfo($"/proc/self/fd/{fd}").LinkTarget == path && Interlocked.Increment(ref looks) == 2
                ? -Errno.EIO : 0);
    }

    private static void Exchange(string one, string other)
    {
        File.Move(one, one + "-");
        File.Move(other, one);
        File.Move(one + "-", other);
    }

    private static async Task<string> NextAsync(IAsyncEnumerator<ReadOnlyMemory<byte>> lines)
    {
        (await lines.MoveNextAsync().AsTask().WaitAsync(TimeSpan.FromMinutes(1))).ShouldBeTrue();
        return Encoding.ASCII.GetString(lines.Current.Span);
    }
}
