using System.Diagnostics;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Load;

/// <summary>
/// The folder through which processes that measure together find each other. Each process creates a new file with an unpredictable number.
/// When it has read the numbers of all, it creates a second file with a value derived from them; when it has read the second files of all,
/// it has met them. Files of an earlier run have other values. A third file states that its process has met the others; the files stay
/// until all have.
/// </summary>
internal sealed class Rendezvous : IDisposable
{
    private const string Prefix = "sluice-rank-";
    private const string Ready = ".ready";
    private const string Met = ".met";
    private const int MaxNamed = 20;

    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan GoneCheckPeriod = TimeSpan.FromSeconds(1);

    private readonly string _folder;
    private readonly Shard _shard;
    private readonly RankNote _note;
    private readonly TimeSpan _limit;
    private readonly List<string> _made = [];
    private string? _run;

    private Rendezvous(string folder, Shard shard, RankNote note, TimeSpan limit) =>
        (_folder, _shard, _note, _limit) = (folder, shard, note, limit);

    /// <summary>Creates the first file, which shows the others that this process is there.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="shard">Which of them this is.</param>
    /// <param name="workload">What is to be measured, as text that is the same for the same.</param>
    /// <param name="limit">How long to wait for the others.</param>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    /// <exception cref="UsageException">Files of another run are there.</exception>
    public static Rendezvous Enter(string folder, Shard shard, string workload, TimeSpan limit)
    {
        FolderArgument.Require(folder);
        var note = new RankNote
        {
            Id = Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(16)),
            Host = Environment.MachineName,
            Process = Environment.ProcessId,
            At = DateTimeOffset.UtcNow,
            Workload = workload,
        };
        var rendezvous = new Rendezvous(folder, shard, note, limit);
        string suffix = string.Create(CultureInfo.InvariantCulture, $"-of-{shard.Count}");
        foreach (string path in Directory.EnumerateFileSystemEntries(folder, $"{Prefix}*").Order(StringComparer.Ordinal))
        {
            bool isOwn = path == rendezvous.PathOf(shard.Index, Ready) || path == rendezvous.PathOf(shard.Index, Met);
            if (isOwn || !Path.GetFileName(path).Split('.')[0].EndsWith(suffix, StringComparison.Ordinal))
                throw new UsageException($"{path} is of another run{Description(path)}; {Remedy}");
        }
        rendezvous.Make("", note);
        return rendezvous;
    }

    /// <summary>Waits until all processes are there, and then until the common start.</summary>
    /// <param name="lead">How long that moment is behind the last one's coming: for its file to be seen.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <exception cref="IOException">Not all came, or one has gone.</exception>
    /// <exception cref="UsageException">One of them measures something else.</exception>
    public async Task<RankReport> MeetAsync(TimeSpan lead, CancellationToken cancellationToken)
    {
        long began = Stopwatch.GetTimestamp();
        RankNote[] all = await GatherAsync("", began, static (_, _) => true, cancellationToken);
        foreach ((int i, RankNote other) in all.Index())
        {
            if (other.Workload != _note.Workload)
                throw new UsageException($"rank {i} ({other.Maker}) is to measure something else than rank {_shard.Index}");
        }
        string run = RunOf(all);
        Make(Ready, _note with { At = DateTimeOffset.UtcNow, Run = run });
        RankNote[] ready = await GatherAsync(
            Ready, began, (i, note) => note.Id == all[i].Id && note.Run == run, cancellationToken, all);
        Make(Met, _note with { At = DateTimeOffset.UtcNow, Run = run });
        _run = run;
        DateTimeOffset last = ready.Max(r => r.At);
        // Limits the wait, because the clock of another process may be wrong.
        TimeSpan rest = last - DateTimeOffset.UtcNow;
        if (rest > _limit)
        {
            int ahead = Array.FindIndex(ready, r => r.At == last);
            throw new IOException($"the clock of rank {ahead} ({ready[ahead].Maker}) is {rest.TotalSeconds:0} s ahead of this one's");
        }
        DateTimeOffset start = last + lead;
        while ((rest = start - DateTimeOffset.UtcNow) > TimeSpan.Zero)
            await Task.Delay(rest, cancellationToken);
        return new RankReport
        {
            Index = _shard.Index,
            Count = _shard.Count,
            Host = _note.Host,
            Run = run,
            Start = start,
            LateSeconds = Math.Round(Math.Max(0, -rest.TotalSeconds), 4),
        };
    }

    /// <summary>Waits, before the files are removed, until all processes have met or have gone.</summary>
    public async Task LeaveAsync(CancellationToken cancellationToken)
    {
        if (_run is null)
            return;
        long began = Stopwatch.GetTimestamp();
        for (int i = 0; i < _shard.Count; i++)
        {
            for (TimeSpan pause = FirstPause; RankNote.TryRead(PathOf(i, Met))?.Run != _run && File.Exists(PathOf(i, ""));)
            {
                if (Stopwatch.GetElapsedTime(began) > _limit)
                    return;
                await Task.Delay(pause, cancellationToken);
                pause = Longer(pause);
            }
        }
    }

    /// <summary>Removes the files.</summary>
    public void Dispose()
    {
        // The first file is removed first: it shows that this process is there.
        foreach (string path in _made)
        {
            try
            {
                if (RankNote.TryRead(path)?.Id == _note.Id)
                    File.Delete(path);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // The folder is gone or not writable any more. The next process reports the file.
            }
        }
        _made.Clear();
    }

    private static string Remedy => "where that run has ended, remove its files, else take another folder";

    private string PathOf(int rank, string stage) =>
        Path.Combine(_folder, string.Create(CultureInfo.InvariantCulture, $"{Prefix}{rank}-of-{_shard.Count}{stage}"));

    private void Make(string stage, RankNote note)
    {
        string path = PathOf(_shard.Index, stage);
        try
        {
            note.Write(path);
        }
        catch (IOException) when (Path.Exists(path))
        {
            throw new UsageException($"{path} is there already, of another run{Description(path)}; {Remedy}");
        }
        _made.Add(path);
    }

    private static string Description(string path) => RankNote.TryRead(path) is { } note ? $" ({note.Maker})" : "";

    /// <summary>Returns a value that differs if the number of any process differs.</summary>
    private static string RunOf(RankNote[] all) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(string.Join('\n', all.Select(a => a.Id)))))[..32];

    /// <summary>One file of each rank, those that <paramref name="isIt"/> takes; while one is missing, nobody may go.</summary>
    /// <param name="stage">Which of their files.</param>
    /// <param name="began">When the waiting began.</param>
    /// <param name="isIt">Whether a file is of this run.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <param name="known">Their first files, where all have been read; who has not the same any more has gone.</param>
    /// <exception cref="IOException">Not all came, or one has gone.</exception>
    private async Task<RankNote[]> GatherAsync(
        string stage, long began, Func<int, RankNote, bool> isIt, CancellationToken cancellationToken, RankNote[]? known = null)
    {
        var found = new RankNote?[_shard.Count];
        long looked = began;
        for (TimeSpan pause = FirstPause; ; pause = Longer(pause))
        {
            bool isLate = Stopwatch.GetElapsedTime(began) > _limit;
            for (int i = 0; i < found.Length; i++)
            {
                if (found[i] is not null)
                    continue;
                bool isGone = known is not null && HasGone(i, known[i]);
                found[i] = RankNote.TryRead(PathOf(i, stage)) is { } note && isIt(i, note) ? note : null;
                if (found[i] is null && isGone)
                    throw Gone(i, known![i]);
            }
            if (Array.TrueForAll(found, f => f is not null))
                return found!;
            if (isLate || Stopwatch.GetElapsedTime(looked) > GoneCheckPeriod)
            {
                // Processes that were found may leave before all have met. They are checked rarely, since there may be many.
                looked = Stopwatch.GetTimestamp();
                foreach ((int i, RankNote? note) in found.Index())
                {
                    if (note is not null && HasGone(i, known?[i] ?? note))
                        throw Gone(i, known?[i] ?? note);
                }
            }
            if (isLate)
                throw new IOException(MissingOf(found, known));
            await Task.Delay(pause, cancellationToken);
        }
    }

    private bool HasGone(int rank, RankNote known)
    {
        string path = PathOf(rank, "");
        return RankNote.TryRead(path) is { } note ? note.Id != known.Id : !File.Exists(path);
    }

    private IOException Gone(int rank, RankNote known) =>
        new($"rank {rank} of {_shard.Count} ({known.Maker}) has gone before all had met");

    private string MissingOf(RankNote?[] found, RankNote[]? known)
    {
        int[] missing = [.. Enumerable.Range(0, found.Length).Where(i => found[i] is null)];
        string ranks = string.Join(", ", missing.Take(MaxNamed).Select(i => known is null ? $"{i}" : $"{i} ({known[i].Maker})"));
        string more = missing.Length > MaxNamed ? ", ..." : "";
        string time = string.Create(CultureInfo.InvariantCulture, $"within {_limit.TotalSeconds:0.##} s");
        return known is null
            ? $"rank {ranks}{more} of {found.Length} did not come to {_folder} {time}"
            : $"rank {ranks}{more} of {found.Length} left a file in {_folder} and did not answer {time}; {Remedy}";
    }

    private static TimeSpan Longer(TimeSpan pause) => pause * 2 < LongestPause ? pause * 2 : LongestPause;
}
