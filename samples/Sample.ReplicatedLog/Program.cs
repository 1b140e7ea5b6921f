// A log on three nodes: Raft by DotNext, and on each node a SluiceLog of the records that a majority has. README.md says more.
//   Sample.ReplicatedLog                              starts three nodes, kills and restarts one, and compares their logs
//   Sample.ReplicatedLog measure FOLDER               compares the rate of three nodes with that of a single log
//   Sample.ReplicatedLog node FOLDER PORT PORT...     runs one node, with its own port and those of all nodes, until it is interrupted
using Sample.ReplicatedLog;

if (args is ["node", string folder, string port, .. string[] ports])
{
    if (Environment.GetEnvironmentVariable(Cluster.ParentVariable) is not null)
    {
        // The node ends with the process that started it.
        Thread watch = new(static () =>
        {
            _ = Console.In.ReadToEnd();
            Environment.Exit(1);
        });
        watch.IsBackground = true;
        watch.Start();
    }

    await Node.RunAsync(folder, int.Parse(port), [.. ports.Select(int.Parse)]);
    return 0;
}

if (args is ["measure", string measured])
{
    await Measurement.RunAsync(measured);
    return 0;
}

string root = Directory.CreateTempSubdirectory("sample-replicated-").FullName;
try
{
    using Cluster cluster = new(typeof(Node).Assembly.Location, root, nodes: 3);
    long last = await AppendAsync(cluster, "first", 20);
    int leader = await cluster.FindLeaderAsync();
    cluster.Kill(leader);
    Console.WriteLine($"{last} records; node {leader}, the leader, is killed");
    last = await AppendAsync(cluster, "without the node", 150);
    Console.WriteLine($"{last} records; the node is started again");
    cluster.Start(leader);
    last = await AppendAsync(cluster, "with all nodes", 20);
    string[] log = await cluster.ReadEqualAsync(last);
    Console.WriteLine($"all nodes have the same {log.Length} records; the last is '{log[^1]}'");
    return log.Length >= 190 ? 0 : 1;
}
finally
{
    Directory.Delete(root, recursive: true);
}

static async Task<long> AppendAsync(Cluster cluster, string text, int count)
{
    long last = 0;
    for (int i = 1; i <= count; i++)
    {
        last = await cluster.AppendAsync($"{text} {i}");
    }

    return last;
}
