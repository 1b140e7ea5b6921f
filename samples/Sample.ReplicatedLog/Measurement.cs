using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Sample.ReplicatedLog;

/// <summary>Compares appends to three nodes on this machine with durable appends to a single SluiceLog, in turns, on folders of their own.</summary>
internal static class Measurement
{
    private const int Rounds = 7;

    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(2);
    private static readonly string Text = new('x', 200);

    public static async Task RunAsync(string folder)
    {
        string root = Directory.CreateDirectory(Path.Combine(folder, $"replicated-{Environment.ProcessId}")).FullName;
        try
        {
            using Cluster cluster = new(typeof(Node).Assembly.Location, root, nodes: 3);
            using SluiceLog log = SluiceLog.Open(Path.Combine(root, "single"));
            int leader = await cluster.FindLeaderAsync();
            byte[] record = Encoding.UTF8.GetBytes(Text);
            Console.WriteLine("| clients | three nodes, records a second | single log | p50 of an append, three nodes | single log |");
            Console.WriteLine("|--:|--:|--:|--:|--:|");
            foreach (int clients in (int[])[1, 16, 64])
            {
                Func<Task> replicated = async () =>
                {
                    while (await cluster.TryAppendAsync(leader, Text) is null)
                    {
                        leader = await cluster.FindLeaderAsync();
                    }
                };
                Func<Task> single = async () => _ = await log.AppendAsync(record, LogDurability.Durable);
                List<(double Rate, double Median)> ours = [];
                List<(double Rate, double Median)> singles = [];
                _ = await TurnAsync(clients, replicated);
                _ = await TurnAsync(clients, single);
                for (int i = 0; i < Rounds; i++)
                {
                    ours.Add(await TurnAsync(clients, replicated));
                    singles.Add(await TurnAsync(clients, single));
                }

                Console.WriteLine(string.Create(
                    CultureInfo.InvariantCulture,
                    $"| {clients} | {Range(ours.Select(static t => t.Rate))} | {Range(singles.Select(static t => t.Rate))} | {Range(ours.Select(static t => t.Median))} us | {Range(singles.Select(static t => t.Median))} us |"));
            }
        }
        finally
        {
            Directory.Delete(root, recursive: true);
        }
    }

    /// <summary>Lets some clients append, each one record after the other.</summary>
    /// <returns>Records a second, and the median time of an append in microseconds.</returns>
    private static async Task<(double Rate, double Median)> TurnAsync(int clients, Func<Task> append)
    {
        long began = Stopwatch.GetTimestamp();
        List<double>[] times = await Task.WhenAll(Enumerable.Range(0, clients).Select(_ => Task.Run(async () =>
        {
            List<double> own = [];
            while (Stopwatch.GetElapsedTime(began) < Duration)
            {
                long start = Stopwatch.GetTimestamp();
                await append();
                own.Add(Stopwatch.GetElapsedTime(start).TotalMicroseconds);
            }

            return own;
        })));
        double seconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        double[] all = [.. times.SelectMany(static t => t).Order()];
        return (all.Length / seconds, all[all.Length / 2]);
    }

    private static string Range(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return string.Create(CultureInfo.InvariantCulture, $"{sorted[Rounds / 2]:N0} ({sorted[0]:N0}-{sorted[^1]:N0})");
    }
}
