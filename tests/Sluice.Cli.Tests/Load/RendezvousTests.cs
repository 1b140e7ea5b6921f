using System.Text.Json;
using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Load;

/// <summary>Processes that wait for each other in a folder; here they are objects.</summary>
public sealed class RendezvousTests : IDisposable
{
    // Long beside whatever a loaded machine takes, and never waited for where the test is right.
    private static readonly TimeSpan Long = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(50);

    private readonly TempFolder _folder = TempFolder.InMemory();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Who_has_gone_is_named()
    {
        Rendezvous gone = Enter(0, 2, Long);
        using Rendezvous other = Enter(1, 2, Long);
        Task<RankReport> meeting = MeetAsync(other);
        await WaitForAsync("sluice-rank-1-of-2.ready");
        gone.Dispose();
        IOException error = await Should.ThrowAsync<IOException>(() => meeting);
        error.Message.ShouldContain("rank 0 of 2 (process ");
        error.Message.ShouldContain("has gone before all had met");
    }

    [Fact]
    public async Task Who_goes_while_others_are_yet_to_come_is_named()
    {
        Rendezvous gone = Enter(1, 3);
        using Rendezvous other = Enter(0, 3);

        // Called here, and not on another thread: it has seen who is there before it returns.
        Task<RankReport> meeting = other.MeetAsync(TimeSpan.Zero, CancellationToken.None);
        gone.Dispose();
        IOException error = await Should.ThrowAsync<IOException>(() => meeting);
        error.Message.ShouldContain("rank 1 of 3 (process ");
        error.Message.ShouldContain("has gone before all had met");
    }

    /// <summary>A run that was killed leaves all that its ranks had made; another one may have as many ranks, or not.</summary>
    [Fact]
    public async Task What_an_earlier_run_left_is_refused_or_named_and_never_believed()
    {
        foreach (string stage in (string[])["", ".ready", ".met"])
            Leave(0, 2, stage, "an old run");
        UsageException own = Should.Throw<UsageException>(() => Enter(0, 2));
        own.Message.ShouldContain("sluice-rank-0-of-2.met is of another run (process 12345 on elsewhere, since 2020-02-02 02:02:02 UTC)");
        Should.Throw<UsageException>(() => Enter(1, 3)).Message.ShouldContain("of another run (process 12345 on elsewhere");
        using (Rendezvous other = Enter(1, 2, Short))
        {
            IOException error = await Should.ThrowAsync<IOException>(() => MeetAsync(other));
            error.Message.ShouldContain("rank 0 (process 12345 on elsewhere, since 2020-02-02 02:02:02 UTC) of 2 left a file in");
        }
        File.Delete(_folder["sluice-rank-0-of-2.ready"]);
        File.Delete(_folder["sluice-rank-0-of-2.met"]);
        Should.Throw<UsageException>(() => Enter(0, 2)).Message.ShouldContain("is there already, of another run (process 12345");
        Files().ShouldBe(["sluice-rank-0-of-2"]);
    }

    [Fact]
    public async Task Files_stay_until_all_have_met()
    {
        using Rendezvous first = Enter(0, 2);
        RankNote note = Leave(1, 2, "", null);
        Task<RankReport> meeting = MeetAsync(first);
        await WaitForAsync("sluice-rank-0-of-2.ready");
        string run = RankNote.TryRead(_folder["sluice-rank-0-of-2.ready"])!.Run!;

        // What is not whole yet is looked at again.
        File.WriteAllText(_folder["sluice-rank-1-of-2.ready"], "{");
        meeting.IsCompleted.ShouldBeFalse();
        File.Delete(_folder["sluice-rank-1-of-2.ready"]);
        Leave(1, 2, ".ready", run, note.Id);
        await meeting;
        Task leaving = first.LeaveAsync(CancellationToken.None);
        leaving.IsCompleted.ShouldBeFalse();
        Leave(1, 2, ".met", run, note.Id);
        await leaving;

        // Nor does one that has gone keep it.
        File.Delete(_folder["sluice-rank-1-of-2.met"]);
        leaving = first.LeaveAsync(CancellationToken.None);
        leaving.IsCompleted.ShouldBeFalse();
        File.Delete(_folder["sluice-rank-1-of-2"]);
        await leaving;
    }

    private Rendezvous Enter(int index, int count, TimeSpan? limit = null) =>
        Rendezvous.Enter(_folder.FullPath, new Shard(index, count), "work", limit ?? Long);

    private static Task<RankReport> MeetAsync(Rendezvous rank) =>
        Task.Run(() => rank.MeetAsync(TimeSpan.Zero, CancellationToken.None));

    private string[] Files() => [.. Directory.GetFiles(_folder.FullPath).Select(f => Path.GetFileName(f)).Order()];

    private async Task WaitForAsync(string name)
    {
        while (RankNote.TryRead(_folder[name]) is null)
            await Task.Delay(1);
    }

    private RankNote Leave(int index, int count, string stage, string? run, string id = "an old number")
    {
        var note = new RankNote
        {
            Id = id,
            Host = "elsewhere",
            Process = 12345,
            At = new DateTimeOffset(2020, 2, 2, 2, 2, 2, TimeSpan.Zero),
            Workload = "work",
            Run = run,
        };
        File.WriteAllText(_folder[$"sluice-rank-{index}-of-{count}{stage}"], JsonSerializer.Serialize(note));
        return note;
    }
}
