using System.Diagnostics;
using Sluice.Cli.Bench;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>Times rows in turns, and checks the result of each run.</summary>
/// <param name="folder">The folder of the rows' files.</param>
internal sealed class RowTimer(string folder, int rounds, LiveProgress progress, CancellationToken cancellationToken)
{
    private readonly List<TimedResult> _results = [];
    private readonly Dictionary<string, string> _unsupported = new(StringComparer.Ordinal);

    public IReadOnlyList<TimedResult> Results => _results;

    /// <summary>The largest number of rounds in which a row was measured.</summary>
    public int Rounds => _results.Max(r => (int?)r.Rate.SliceRates.Count) ?? 0;

    /// <summary>The rows that the file system does not support, with the reason.</summary>
    public IEnumerable<string> Notes => _unsupported.Select(u => $"{u.Key} was not measured: {u.Value}");

    /// <summary>The wrong results, or the reasons why no row was measured.</summary>
    public IReadOnlyList<string> Errors => _results.Count == 0 ? [.. Notes] :
    [
        .. _results.Where(r => r.Wrong is not null)
            .Select(r => $"{r.Group}: {r.Name}, {TimedReport.SizeOf(r.Bytes)}, gave a wrong result: {r.Wrong}"),
    ];

    /// <summary>Runs rows on small files until the runtime has compiled them with full optimization.</summary>
    public Task WarmUpAsync(IReadOnlyList<TimedRow> rows)
    {
        progress.Show(() => "warming up");
        return new TurnRunner(TimeSpan.Zero, rounds: 0, cancellationToken)
            .WarmUpAsync([.. rows.Select(r => ContenderOf(r, TurnRunner.WarmUpCalls, []))], _unsupported);
    }

    /// <summary>Measures rows. After a cancellation, the results are those of the slices that were measured before it.</summary>
    /// <param name="runs">The number of times that a row runs in one slice.</param>
    public async Task<IReadOnlyList<TimedResult>> MeasureAsync(IEnumerable<TimedRow> rows, int runs = 1)
    {
        TimedRow[] measured = [.. rows.Where(r => !_unsupported.ContainsKey(r.Id))];
        var wrong = new Dictionary<TimedRow, string>();
        var turns = new TurnRunner(TimeSpan.Zero, rounds, cancellationToken)
        {
            Progress = (round, contender) => progress.Show(
                () => $"{TimedReport.SizeOf(measured[0].Bytes)}, round {round} of {rounds}: {contender.Name}"),
        };
        IReadOnlyList<ContenderReport?> rates = await turns.MeasureAsync([.. measured.Select(r => ContenderOf(r, runs, wrong))]);
        TimedResult[] results =
        [
            .. measured.Zip(rates).Where(m => m.Second is not null)
                .Select(m => new TimedResult(
                    m.First.Group, m.First.Name, m.First.Side, m.First.Bytes, m.Second!, wrong.GetValueOrDefault(m.First))),
        ];
        _results.AddRange(results);
        return results;
    }

    private Contender ContenderOf(TimedRow row, int runs, Dictionary<TimedRow, string> wrong) => new(row.Id, async slice =>
    {
        slice.Elapsed = TimeSpan.Zero;
        slice.Cpu = TimeSpan.Zero;
        for (int i = 0; i < runs; i++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (await RunAsync(row, slice) is { } difference)
                wrong.TryAdd(row, difference);
        }
    })
    {
        MeasuresAllocations = true,
        Prepare = () =>
        {
            // The deleted file's data need not be written, and data of other rows is written before the measured time.
            DeleteNewFile(row);
            Settling.FileSystemOf(folder);
        },
    };

    private static async Task<string?> RunAsync(TimedRow row, Slice slice)
    {
        DeleteNewFile(row);
        Settling.Memory();
        object? result;
        using (row.Open?.Invoke())
        {
            TimeSpan cpu = Environment.CpuUsage.TotalTime;
            long start = Stopwatch.GetTimestamp();
            result = await row.RunAsync();
            slice.Elapsed += Stopwatch.GetElapsedTime(start);
            slice.Cpu += Environment.CpuUsage.TotalTime - cpu;
        }
        slice.Count(0);
        return row.Check(result);
    }

    private static void DeleteNewFile(TimedRow row)
    {
        if (row.NewFile is { } path)
            File.Delete(path);
    }
}
