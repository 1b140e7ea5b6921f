using System.Diagnostics;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Load;

/// <summary>
/// The folder in which processes that measure together find each other. Each process creates a first file with an unpredictable number.
/// When it has read the numbers of all processes, it creates a second file with a value derived from them; when it has read the second
/// files of all, it has met them. Files of an earlier run have other values. A third file states that its process has met the others; each
/// process keeps its files until all third files exist.
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

    /// <summary>Creates the first file, which shows the other processes that this process exists.</summary>
    /// <param name="folder">The shared folder.</param>
    /// <param name="shard">The number of this process, and the number of processes.</param>
    /// <param name="workload">The workload as text, which is equal for equal workloads.</param>
    /// <param name="limit">The maximum time to wait for the other processes.</param>
    /// <exception cref="DirectoryNotFoundException">The folder does not exist.</exception>
    /// <exception cref="UsageException">The folder contains files of another run.</exception>
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

    /// <summary>Waits until all processes have met, and then until the common start.</summary>
    /// <param name="lead">The time from the arrival of the last process to the start, in which the others see its file.</param>
    /// <param name="cancellationToken">The token that ends the wait.</param>
    /// <exception cref="IOException">A process did not arrive or has left, or its clock is ahead by more than the limit.</exception>
    /// <exception cref="UsageException">A process has another workload.</exception>
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
        // The wait is limited, because the clock of another process may be wrong.
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

    /// <summary>
    /// Waits until all processes have met or have left, but not longer than the limit. Returns immediately if this process has not met the
    /// others. To be called before <see cref="Dispose"/> removes the files.
    /// </summary>
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

    /// <summary>Removes the files of this process.</summary>
    public void Dispose()
    {
        // The first file is removed first, because the other processes take it as a sign that this process exists.
        foreach (string path in _made)
        {
            try
            {
                if (RankNote.TryRead(path)?.Id == _note.Id)
                    File.Delete(path);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // The folder was removed or is not writable. The next run reports the file.
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

    /// <summary>Returns a value that depends on the numbers of all processes.</summary>
    private static string RunOf(RankNote[] all) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(string.Join('\n', all.Select(a => a.Id)))))[..32];

    /// <summary>Waits until each process has a file of the stage that <paramref name="isIt"/> accepts, and returns these files.</summary>
    /// <param name="stage">The suffix of the files: first, ready or met.</param>
    /// <param name="began">The timestamp at which the wait began.</param>
    /// <param name="isIt">Returns true for a file of this run.</param>
    /// <param name="cancellationToken">The token that ends the wait.</param>
    /// <param name="known">The first files, if all have been read. A process whose first file has changed or is missing has left.</param>
    /// <exception cref="IOException">A process did not arrive, or has left.</exception>
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
                // Processes that were found may leave before all have met. This is checked rarely, because there may be many processes.
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
