using System.Collections.Concurrent;
using System.Text;

namespace Sluice.Tests.Sequential;

[System.Diagnostics.CodeAnalysis.SuppressMessage("Interoperability", "CA1416",
    Justification = "Where modes are set the test is skipped on Windows.")]
public sealed class FollowTests : IDisposable
{
    private readonly TempFolder _temp = new();
    private readonly CancellationTokenSource _giveUp = new(TimeSpan.FromMinutes(5));

    public void Dispose()
    {
        _giveUp.Dispose();
        _temp.Dispose();
    }

    [Fact]
    public async Task Whole_lines_come_as_they_are_written()
    {
        string path = _temp.NewFile("old\n"u8);
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = Follow(path, fromStart: false);
        ValueTask<bool> next = lines.MoveNextAsync();
        File.AppendAllText(path, "ha");
        File.AppendAllText(path, "lf\nwhole\r\nrest");
        (await next).ShouldBeTrue();
        Text(lines).ShouldBe("half");
        (await NextAsync(lines)).ShouldBe("whole");
        next = lines.MoveNextAsync();
        next.IsCompleted.ShouldBeFalse();
        File.AppendAllText(path, " of it\n");
        (await next).ShouldBeTrue();
        Text(lines).ShouldBe("rest of it");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(long.MaxValue)]
    public async Task Whoever_waits_for_a_line_has_his_thread_back_whatever_the_interval(long ticks)
    {
        string path = _temp.NewFile("old\n"u8);
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(_giveUp.Token);
        SluiceFollowOptions options = new() { PollInterval = TimeSpan.FromTicks(ticks) };
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines =
            SluiceReader.FollowAsync(path, options, stop.Token).GetAsyncEnumerator(stop.Token);
        ValueTask<bool> next = lines.MoveNextAsync();
        next.IsCompleted.ShouldBeFalse();
        if (ticks == 0)
        {
            File.AppendAllText(path, "new\n");
            (await next).ShouldBeTrue();
            Text(lines).ShouldBe("new");
        }
        else
        {
            await stop.CancelAsync();
            await Should.ThrowAsync<OperationCanceledException>(async () => await next);
        }
    }

    [Fact]
    public async Task A_rotated_file_is_read_to_its_end_and_then_the_new_one()
    {
        string path = _temp.NewFile("one\n"u8);
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = Follow(path, fromStart: true);
        (await NextAsync(lines)).ShouldBe("one");
        File.Move(path, path + ".1");
        File.AppendAllText(path + ".1", "two\nunended");
        File.WriteAllText(path, "three\nfour\n");
        foreach (string expected in (string[])["two", "unended", "three", "four"])
        {
            (await NextAsync(lines)).ShouldBe(expected);
        }

        File.Delete(path);
        ValueTask<bool> next = lines.MoveNextAsync();
        File.WriteAllText(path, "five\n");
        (await next).ShouldBeTrue();
        Text(lines).ShouldBe("five");
    }

    [Fact]
    public async Task A_file_that_is_cut_is_read_from_its_start()
    {
        string path = _temp.NewFile("a long first line\nhalf a"u8);
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = Follow(path, fromStart: true);
        (await NextAsync(lines)).ShouldBe("a long first line");
        ValueTask<bool> next = lines.MoveNextAsync();
        File.WriteAllText(path, "new\n");
        (await next).ShouldBeTrue();
        Text(lines).ShouldBe("half a");
        (await NextAsync(lines)).ShouldBe("new");
    }

    /// <summary>tail -F is the reference: every line that it tells comes, and every line that was written.</summary>
    [SkippableTheory]
    [InlineData("rename")]
    [InlineData("copytruncate")]
    [InlineData("create")]
    public async Task Every_line_that_tail_tells_comes_under_rotation(string way)
    {
        Skip.IfNot(OperatingSystem.IsLinux() && File.Exists("/usr/bin/tail"), "there is no tail");
        Skip.If(way == "create" && !Environment.IsPrivilegedProcess, "tail loses a file that it may not read for a moment");
        string path = _temp.NewFile([]);
        string told = _temp.NewFile([]);
        using System.Diagnostics.Process tail = System.Diagnostics.Process.Start(
            "sh", ["-c", $"exec tail -n +1 -s 0.01 -F '{path}' > '{told}' 2>/dev/null"]);
        ConcurrentQueue<string> followed = [];
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(_giveUp.Token);
        Task following = Task.Run(async () =>
        {
            SluiceFollowOptions options = new() { FromStart = true, PollInterval = TimeSpan.FromMilliseconds(10) };
            await foreach (ReadOnlyMemory<byte> line in SluiceReader.FollowAsync(path, options, stop.Token))
            {
                followed.Enqueue(Encoding.UTF8.GetString(line.Span));
            }
        });
        List<string> written = ["begin"];
        File.AppendAllText(path, "begin\n");
        await SeenAsync(written[^1]);
        for (int rotation = 0; rotation < 4; rotation++)
        {
            using FileStream log = new(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, 0);
            string old = $"{path}.{rotation}";
            Write(log, 100);
            if (way == "copytruncate")
            {
                // What is written between the copy and the cut is lost to everyone.
                await SeenAsync(written[^1]);
                File.Copy(path, old);
                using FileStream cut = new(path, FileMode.Truncate, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, 0);
            }
            else
            {
                File.Move(path, old);
                Write(log, 50);
                if (way == "rename")
                {
                    // tail gives up a file that has lost its name, and loses what is still written to it; this does not.
                    await SeenAsync(written[^1], byTail: false);
                    Write(log, 50);
                }
                else
                {
                    File.WriteAllText(path, "");
                    File.SetUnixFileMode(path, UnixFileMode.None);
                    File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
                }
            }

            // The next rotation waits until this one was noticed: whoever looks at a name sees no file that had it between two looks.
            using FileStream next = new(path, FileMode.Append, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete, 0);
            Write(next, 1);
            await SeenAsync(written[^1]);
        }

        await stop.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => following);
        tail.Kill();
        await tail.WaitForExitAsync();
        followed.SequenceEqual(
            written).ShouldBeTrue($"missing: {string.Join(' ', written.Except(followed))}; {followed.Count} of {written.Count}");
        string.Join(' ', File.ReadAllLines(told).Except(followed)).ShouldBe("");

        void Write(FileStream log, int count)
        {
            for (int i = 0; i < count; i++)
            {
                written.Add($"{written.Count}");
                log.Write(Encoding.UTF8.GetBytes(written[^1] + "\n"));
            }
        }

        async Task SeenAsync(string line, bool byTail = true)
        {
            while (!followed.Contains(line) || (byTail && !File.ReadAllText(told).EndsWith(line + "\n", StringComparison.Ordinal)))
            {
                _giveUp.IsCancellationRequested.ShouldBeFalse(
                    $"line {line} did not come; followed {followed.LastOrDefault()}, tail {File.ReadLines(told).LastOrDefault()}");
                await Task.Delay(10, CancellationToken.None);
            }
        }
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    public async Task What_is_no_path_is_refused(string? path) =>
        await Should.ThrowAsync<ArgumentException>(async () => await Follow(path!, fromStart: true).MoveNextAsync());

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_file_or_folder_that_comes_later_is_waited_for_until_it_is_cancelled(bool isFolderThere)
    {
        string folder = _temp.NewPath();
        string path = Path.Combine(isFolderThere ? _temp.Root : folder, "log");
        List<long> reported = [];
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(_giveUp.Token);
        SluiceFollowOptions options = new() { PollInterval = TimeSpan.FromMilliseconds(5), Progress = new ListProgress(reported) };
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines =
            SluiceReader.FollowAsync(path, options, stop.Token).GetAsyncEnumerator(stop.Token);
        ValueTask<bool> next = lines.MoveNextAsync();

        string prepared = Directory.CreateDirectory(_temp.NewPath()).FullName;
        File.WriteAllText(Path.Combine(prepared, "log"), "first\n");
        if (isFolderThere)
        {
            File.Move(Path.Combine(prepared, "log"), path);
        }
        else
        {
            Directory.Move(prepared, folder);
        }

        (await next).ShouldBeTrue();
        Text(lines).ShouldBe("first");
        reported.ShouldBe([6]);
        next = lines.MoveNextAsync();
        await stop.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(async () => await next);
    }

    private IAsyncEnumerator<ReadOnlyMemory<byte>> Follow(string path, bool fromStart)
    {
        SluiceFollowOptions options = new() { FromStart = fromStart, PollInterval = TimeSpan.FromMilliseconds(5) };
        return SluiceReader.FollowAsync(path, options, _giveUp.Token).GetAsyncEnumerator(_giveUp.Token);
    }

    private static async Task<string> NextAsync(IAsyncEnumerator<ReadOnlyMemory<byte>> lines)
    {
        (await lines.MoveNextAsync()).ShouldBeTrue();
        return Text(lines);
    }

    private static string Text(IAsyncEnumerator<ReadOnlyMemory<byte>> lines) => Encoding.UTF8.GetString(lines.Current.Span);
}
