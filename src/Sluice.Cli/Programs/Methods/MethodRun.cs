using System.Diagnostics;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report;

namespace Sluice.Cli.Programs.Methods;

/// <summary>Runs methods on a file of one size, in turns, and checks every result.</summary>
internal sealed class MethodRun : IDisposable
{
    // A run over a small file is short: several make one figure as steady as that of a large file.
    private const int BytesPerRound = 10 << 20;
    private const int MaxRunsPerRound = 15;

    private readonly MethodInput _reading;
    private readonly MethodInput _writing;
    private readonly CancellationToken _cancellationToken;
    private readonly int _runsPerRound;

    /// <param name="folder">Gets the file that is read and the one that is written.</param>
    public MethodRun(string folder, int sizeBytes, CancellationToken cancellationToken)
    {
        var sample = new TextSample(sizeBytes);
        _reading = new MethodInput(Path.Combine(folder, "read.txt"), sample, cancellationToken);
        _writing = new MethodInput(Path.Combine(folder, "write.txt"), sample, cancellationToken);
        _cancellationToken = cancellationToken;
        _runsPerRound = Math.Clamp(BytesPerRound / sizeBytes, 1, MaxRunsPerRound);
        using var file = new FileStream(_reading.Path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        file.Write(sample.Content);
        // Direct reads must not have to wait for it.
        file.Flush(flushToDisk: true);
    }

    /// <summary>
    /// Every method in every round: there and back, so that what comes first in one round comes last in the next. Round 0 pays for
    /// compiling, and is not counted, but checked too.
    /// </summary>
    public static IEnumerable<(int Round, Method Method)> Steps(IReadOnlyList<Method> methods, int rounds) =>
        from round in Enumerable.Range(0, rounds + 1)
        from method in Rounds.ThereAndBack(methods, round + 1)
        select (round, method);

    /// <summary>One method in one round: several runs of a small file.</summary>
    /// <param name="times">Gets the times, and what was wrong.</param>
    public void Measure(int round, Method method, MethodTimes times)
    {
        if (method.Writes && round > 0)
        {
            File.Delete(_writing.Path);
            Settling.FileSystemOf(Path.GetDirectoryName(_writing.Path)!);
        }
        int before = times.Seconds.Count;
        for (int i = 0; i < (round == 0 ? 1 : _runsPerRound); i++)
            Measure(method, times, isCounted: round > 0);
        if (round > 0)
            times.RoundSeconds.Add(Statistics.Median(times.Seconds.Skip(before)));
    }

    public void Dispose()
    {
        File.Delete(_reading.Path);
        File.Delete(_writing.Path);
    }

    private void Measure(Method method, MethodTimes times, bool isCounted)
    {
        _cancellationToken.ThrowIfCancellationRequested();
        MethodInput input = method.Writes ? _writing : _reading;
        if (method.Writes)
            File.Delete(input.Path);
        else
            input.Forget(method.Kind);
        Settling.Memory();
        MethodResult result;
        double seconds;
        if (method.IsOpenBefore)
        {
            using OpenedMethod opened = method.Open(input);
            (result, seconds) = Time(opened.Run);
        }
        else
        {
            (result, seconds) = Time(() =>
            {
                using OpenedMethod opened = method.Open(input);
                return opened.Run();
            });
        }
        times.Difference ??= method.Writes
            ? MethodResult.Bytes(File.ReadAllBytes(input.Path)).Difference(input.Sample)
            : result.Difference(input.Sample);
        if (isCounted)
            times.Seconds.Add(seconds);
    }

    private static (MethodResult Result, double Seconds) Time(Func<MethodResult> run)
    {
        long start = Stopwatch.GetTimestamp();
        MethodResult result = run();
        return (result, Stopwatch.GetElapsedTime(start).TotalSeconds);
    }
}

/// <summary>What one method took at one size, and what its result lacked in any run.</summary>
internal sealed class MethodTimes
{
    public List<double> Seconds { get; } = [];

    /// <summary>The median of each round: runs that follow one another are no independent samples.</summary>
    public List<double> RoundSeconds { get; } = [];

    /// <summary>Null: every run gave what it should.</summary>
    public string? Difference { get; set; }
}
