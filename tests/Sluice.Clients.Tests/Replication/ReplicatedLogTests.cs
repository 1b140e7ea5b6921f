using System.Globalization;
using Sample.ReplicatedLog;
using Shouldly;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Clients.Tests.Replication;

/// <summary>Nodes of samples/Sample.ReplicatedLog are killed at random moments, one at a time, and started again.</summary>
[Trait("Tier", "slow")]
public sealed class ReplicatedLogTests : IDisposable
{
    private const int Nodes = 3;

    private static readonly int Kills =
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_KILLS"), CultureInfo.InvariantCulture, out int kills) ? kills : 5;

    private static readonly TimeSpan Frozen = TimeSpan.FromMilliseconds(150);
    private static readonly TimeSpan Thawed = TimeSpan.FromMilliseconds(50);

    private readonly string _folder = Directory.CreateTempSubdirectory("sluice-replicated-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public Task What_was_acknowledged_is_on_all_nodes_once_and_in_order() => KillNodesAsync();

    /// <summary>The file system of the first node takes no write for three quarters of the time.</summary>
    [SkippableFact]
    public async Task The_same_with_a_slow_disk_on_one_node()
    {
        Skip.IfNot(Command.Exists("fsfreeze"), "it needs fsfreeze");
        using Mount mount = Mount.OrSkip(FileSystemKind.Ext4, "1G");
        Directory.CreateSymbolicLink(Path.Combine(_folder, "node0"), mount.Folder);
        using CancellationTokenSource end = new();
        Task<int> slowness = Task.Run(() => Slow(mount.Folder, end.Token));
        try
        {
            await KillNodesAsync();
        }
        finally
        {
            await end.CancelAsync();
            (await slowness).ShouldBePositive();
            Directory.Delete(Path.Combine(_folder, "node0"));
        }
    }

    /// <summary>Freezes a file system again and again.</summary>
    /// <returns>How often.</returns>
    private static int Slow(string folder, CancellationToken end)
    {
        int count = 0;
        while (!end.IsCancellationRequested)
        {
            Command.Run("fsfreeze", "--freeze", folder);
            count++;
            Thread.Sleep(Frozen);
            Command.Run("fsfreeze", "--unfreeze", folder);
            Thread.Sleep(Thawed);
        }

        return count;
    }

    private async Task KillNodesAsync()
    {
        Random random = new(1);
        using Cluster cluster = new(Program(), _folder, Nodes);
        List<(long Number, string Text)> acknowledged = [];
        int attempts = 0;
        for (int kill = 0; kill < Kills; kill++)
        {
            int victim = random.Next(2) == 0 ? await cluster.FindLeaderAsync() : random.Next(Nodes);
            int killed = random.Next(5);

            // Once, the node lacks so many records that it is sent a snapshot.
            int count = kill == Kills / 2 ? 150 : 10;
            for (int i = 0; i < count; i++)
            {
                Task append = AppendAsync();
                if (i == killed)
                {
                    await Task.Delay(random.Next(5));
                    cluster.Kill(victim);
                }

                await append;
            }

            cluster.Start(victim);
            await cluster.WaitForAsync(victim, acknowledged.Select(static a => a.Number).DefaultIfEmpty(0).Last());
        }

        for (int i = 0; i < 10; i++)
        {
            await AppendAsync();
        }

        acknowledged.ShouldNotBeEmpty();
        string[] log = await cluster.ReadEqualAsync(acknowledged[^1].Number);
        for (int i = 0; i < log.Length; i++)
        {
            log[i].ShouldStartWith($"{i + 1} ");
        }

        log.Select(static line => line[line.IndexOf(' ')..]).ShouldBeUnique();
        acknowledged.Select(static a => a.Number).ShouldBeInOrder();
        foreach ((long number, string text) in acknowledged)
        {
            log[number - 1].ShouldBe($"{number} {text}");
        }

        // Each text is sent once: the log may have it without an answer, and never twice.
        async Task AppendAsync()
        {
            string text = $"record {++attempts}";
            if (await cluster.TryAppendAsync(random.Next(Nodes), text) is { } number)
            {
                acknowledged.Add((number, text));
            }
        }
    }

    private static string Program() => Path.Combine(
        AppContext.BaseDirectory.Replace("tests/Sluice.Clients.Tests", "samples/Sample.ReplicatedLog", StringComparison.Ordinal),
        "Sample.ReplicatedLog.dll");
}
