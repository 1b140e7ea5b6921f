using System.Text;

namespace Sluice.Hostile.Tests.Storms;

/// <summary>
/// Two handles of one file by which several threads append. The file is a row of whole records: those that were acknowledged, each once
/// and where its call said; none of those that were rejected, but for those whose caller's memory threw, perhaps when it was unpinned.
/// </summary>
internal static class AppendStorm
{
    private const int Workers = 3;
    private const int Steps = 16;

    public static void Run(StormRound round, FileCaching caching, IoEngine? engine)
    {
        byte[] start = [.. "start\n"u8];
        string path = round.Temp.NewFile(start);
        SluiceHandle[] handles = [.. Enumerable.Range(0, 2).Select(_ => SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Share = FileShare.ReadWrite,
            Caching = caching,
            Engine = engine,
            Options = FileOptions.Asynchronous,
        }))];
        Appended[] all = [.. Enumerable.Range(0, Workers).Select(_ => new Appended())];
        round.Run(
            Workers,
            worker => Work(worker, handles[worker.Number % 2], all[worker.Number]),
            () => Array.ForEach(handles, static h => h.Dispose()));

        Dictionary<long, byte[]> acknowledged = all.SelectMany(a => a.Acknowledged).ToDictionary(a => a.At, a => a.Record);
        HashSet<string> uncertain = [.. all.SelectMany(a => a.Uncertain).Select(Encoding.ASCII.GetString)];
        byte[] file = File.ReadAllBytes(path);
        file.AsSpan(0, start.Length).ToArray().ShouldBeBytes(start);
        for (int at = start.Length; at < file.Length;)
        {
            int end = Array.IndexOf(file, (byte)'\n', at) + 1;
            end.ShouldBeGreaterThan(at, $"a record that was cut off, at {at}");
            if (acknowledged.Remove(at, out byte[]? record))
            {
                file.AsSpan(at, end - at).ToArray().ShouldBeBytes(record, $"the record at {at}");
            }
            else
            {
                string found = Encoding.ASCII.GetString(file, at, end - at);
                uncertain.Remove(found).ShouldBeTrue($"a record at {at} that nobody was told of: {found[..Math.Min(20, found.Length)]}");
            }

            at = end;
        }

        acknowledged.Keys.ShouldBeEmpty("records that are not where they were said to be");
        File.Delete(path);
    }

    private static void Work(StormWorker worker, SluiceHandle handle, Appended appended)
    {
        Random random = worker.Random;
        for (int i = 0; i < Steps && !worker.HasEnded; i++)
        {
            if (random.Next(2) == 0)
            {
                byte[] record = NextRecord(worker, i * 10);
                long landed = 0;
                if (worker.Try("Append", () => landed = handle.AppendAndGetOffset(record)))
                {
                    appended.Acknowledged.Add((landed, record));
                }

                continue;
            }

            List<(StormCall Call, StormMemory Memory)> calls = [];
            for (int n = random.Next(1, 4); n > 0; n--)
            {
                Countdown countdown = worker.NextCountdown();
                StormMemory memory = new(random, countdown, NextRecord(worker, (i * 10) + n), 0);
                CancellationToken token = worker.NextToken();
                calls.Add((worker.Begin("AppendAsync", () => handle.AppendAndGetOffsetAsync(memory.Memory, token).AsTask(), countdown, token), memory));
            }

            foreach ((StormCall call, StormMemory memory) in calls)
            {
                if (worker.Ends(call))
                {
                    appended.Acknowledged.Add((((Task<long>)call.Task!).Result, memory.Before.ToArray()));
                }
                else if (call.Countdown!.HasThrown)
                {
                    appended.Uncertain.Add(memory.Before.ToArray());
                }

                memory.Close();
            }
        }
    }

    private static byte[] NextRecord(StormWorker worker, int number)
    {
        int filler = worker.Random.Next(4) == 0 ? worker.Random.Next(9000) : worker.Random.Next(60);
        return Encoding.ASCII.GetBytes($"{worker.Number}:{number}:{new string((char)('a' + worker.Random.Next(26)), filler)}\n");
    }

    private sealed class Appended
    {
        public List<(long At, byte[] Record)> Acknowledged { get; } = [];

        public List<byte[]> Uncertain { get; } = [];
    }
}
