using System.Text;

namespace Sluice.Tests.Sequential;

public sealed class FollowTests : IDisposable
{
    private readonly TempFolder _temp = new();
    private readonly CancellationTokenSource _giveUp = new(TimeSpan.FromMinutes(2));

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
        await Task.Delay(20);
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
        Text(lines).ShouldBe("new");
    }

    [Fact]
    public async Task A_file_that_comes_later_is_waited_for_and_cancelling_ends_it()
    {
        string path = _temp.NewPath();
        using CancellationTokenSource source = new();
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines = Follow(path, fromStart: false, source.Token);
        ValueTask<bool> next = lines.MoveNextAsync();
        File.WriteAllText(path, "first\n");
        (await next).ShouldBeTrue();
        Text(lines).ShouldBe("first");
        next = lines.MoveNextAsync();
        await source.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(async () => await next);
    }

    [Fact]
    public async Task A_folder_that_comes_later_is_waited_for_and_progress_is_told()
    {
        string folder = _temp.NewPath();
        string path = Path.Combine(folder, "log");
        List<long> reported = [];
        SluiceFollowOptions options = new() { PollInterval = TimeSpan.FromMilliseconds(5), Progress = new ListProgress(reported) };
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines =
            SluiceReader.FollowAsync(path, options, _giveUp.Token).GetAsyncEnumerator(_giveUp.Token);
        ValueTask<bool> next = lines.MoveNextAsync();
        string prepared = Directory.CreateDirectory(_temp.NewPath()).FullName;
        File.WriteAllText(Path.Combine(prepared, "log"), "first\n");
        Directory.Move(prepared, folder);
        (await next).ShouldBeTrue();
        Text(lines).ShouldBe("first");
        reported.ShouldBe([6]);
    }

    private IAsyncEnumerator<ReadOnlyMemory<byte>> Follow(string path, bool fromStart, CancellationToken cancellationToken = default)
    {
        SluiceFollowOptions options = new() { FromStart = fromStart, PollInterval = TimeSpan.FromMilliseconds(5) };
        cancellationToken = cancellationToken.CanBeCanceled ? cancellationToken : _giveUp.Token;
        return SluiceReader.FollowAsync(path, options, cancellationToken).GetAsyncEnumerator(cancellationToken);
    }

    private static async Task<string> NextAsync(IAsyncEnumerator<ReadOnlyMemory<byte>> lines)
    {
        (await lines.MoveNextAsync()).ShouldBeTrue();
        return Text(lines);
    }

    private static string Text(IAsyncEnumerator<ReadOnlyMemory<byte>> lines) => Encoding.UTF8.GetString(lines.Current.Span);
}
