using System.Diagnostics;

namespace Sluice.Cli.Programs.Methods;

/// <summary>Runs methods on a file of one size, in turns, and checks every result.</summary>
internal sealed class MethodRun
{
    // A run over a small file is short: several make one figure as steady as that of a large file.
    private const int BytesOfARound = 10 << 20;
    private const int MostRunsOfARound = 15;

    // Below it no collection is near.
    private const long AllocatedBeforeCollecting = 16 << 20;

    private readonly MethodInput _reading;
    private readonly MethodInput _writing;
    private readonly CancellationToken _cancellationToken;
    private readonly int _runsOfARound;
    private long _allocatedAtCollection;

    /// <param name="folder">Gets the file that is read and the one that is written.</param>
    public MethodRun(string folder, int sizeBytes, CancellationToken cancellationToken)
    {
        var sample = new TextSample(sizeBytes);
        _reading = new MethodInput(Path.Combine(folder, "read.txt"), sample, cancellationToken);
        _writing = new MethodInput(Path.Combine(folder, "write.txt"), sample, cancellationToken);
        _cancellationToken = cancellationToken;
        _runsOfARound = Math.Clamp(BytesOfARound / sizeBytes, 1, MostRunsOfARound);
        using var file = new FileStream(_reading.Path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        file.Write(sample.Content);
        // Direct reads must not have to wait for it.
        file.Flush(flushToDisk: true);
    }

    /// <summary>The first round pays for compiling, and is not counted, but checked too.</summary>
    /// <param name="started">Told the round and the method.</param>
    public IReadOnlyDictionary<Method, MethodTimes> Run(IReadOnlyList<Method> methods, int rounds, Action<int, Method> started)
    {
        var results = methods.ToDictionary(m => m, _ => new MethodTimes());
        for (int round = 0; round <= rounds; round++)
        {
            // There and back: what comes first in one round comes last in the next.
            foreach (Method method in round % 2 == 0 ? methods.Reverse() : methods)
            {
                started(round, method);
                for (int i = 0; i < (round == 0 ? 1 : _runsOfARound); i++)
                    Measure(method, results[method], isCounted: round > 0);
            }
        }
        File.Delete(_reading.Path);
        File.Delete(_writing.Path);
        return results;
    }

    private void Measure(Method method, MethodTimes times, bool isCounted)
    {
        _cancellationToken.ThrowIfCancellationRequested();
        MethodInput input = method.Writes ? _writing : _reading;
        if (method.Writes)
            File.Delete(input.Path);
        else
            input.Forget(method.Kind);
        CollectGarbage();
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
        if (isCounted)
            times.Seconds.Add(seconds);
        times.Difference ??= method.Writes
            ? MethodResult.Bytes(File.ReadAllBytes(input.Path)).Difference(input.Sample)
            : result.Difference(input.Sample);
    }

    /// <summary>What the methods before have left behind is not the next one's to collect.</summary>
    private void CollectGarbage()
    {
        if (GC.GetTotalAllocatedBytes() - _allocatedAtCollection < AllocatedBeforeCollecting)
            return;
        GC.Collect();
        _allocatedAtCollection = GC.GetTotalAllocatedBytes();
    }

    private static (MethodResult Result, double Seconds) Time(Func<MethodResult> run)
    {
        long start = Stopwatch.GetTimestamp();
        MethodResult result = run();
        return (result, Stopwatch.GetElapsedTime(start).TotalSeconds);
    }
}
