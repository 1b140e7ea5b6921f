using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Sample.ReplicatedLog;

/// <summary>Nodes in processes of their own, and a client that speaks with them.</summary>
internal sealed class Cluster : IDisposable
{
    /// <summary>A node that is started with this variable ends with the process that started it.</summary>
    public const string ParentVariable = "SAMPLE_ENDS_WITH_PARENT";

    private readonly HttpClient _client = new() { Timeout = TimeSpan.FromSeconds(30) };
    private readonly string _program;
    private readonly string _root;
    private readonly int[] _ports;
    private readonly Process?[] _nodes;

    /// <summary>Starts the nodes.</summary>
    /// <param name="program">The path of the sample's assembly.</param>
    /// <param name="root">The folder for the nodes' folders.</param>
    /// <param name="nodes">The number of nodes.</param>
    public Cluster(string program, string root, int nodes)
    {
        (_program, _root) = (program, root);
        TcpListener[] listeners = [.. Enumerable.Range(0, nodes).Select(static _ => new TcpListener(IPAddress.Loopback, 0))];
        Array.ForEach(listeners, static l => l.Start());
        _ports = [.. listeners.Select(static l => ((IPEndPoint)l.LocalEndpoint).Port)];
        Array.ForEach(listeners, static l => l.Dispose());
        _nodes = new Process?[nodes];
        for (int i = 0; i < nodes; i++)
        {
            Start(i);
        }
    }

    public int Count => _nodes.Length;

    public void Start(int node)
    {
        string folder = Path.Combine(_root, $"node{node}");
        ProcessStartInfo start = new("dotnet", [_program, "node", folder, .. new[] { _ports[node] }.Concat(_ports).Select(static p => $"{p}")])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            Environment = { [ParentVariable] = "1" },
        };
        _nodes[node] = Process.Start(start);
    }

    /// <summary>Ends a node's process as kill -9 does.</summary>
    public void Kill(int node)
    {
        if (_nodes[node] is { } process)
        {
            _nodes[node] = null;
            process.Kill();
            process.WaitForExit();
            process.Dispose();
        }
    }

    /// <summary>Appends a record through a node.</summary>
    /// <returns>The number of the record when a majority has it; null if it is not known whether it was appended.</returns>
    /// <exception cref="InvalidDataException">A node has ended that was not killed.</exception>
    public async Task<long?> TryAppendAsync(int node, string text)
    {
        ThrowIfEnded();
        try
        {
            using StringContent content = new(text);
            using HttpResponseMessage answer = await _client.PostAsync($"{UrlOf(node)}/records", content);
            return answer.IsSuccessStatusCode ? long.Parse(await answer.Content.ReadAsStringAsync(), CultureInfo.InvariantCulture) : null;
        }
        catch (Exception e) when (e is HttpRequestException or OperationCanceledException)
        {
            return null;
        }
    }

    /// <summary>Appends a record through one node after the other until one acknowledges it. The log can then have it more than once.</summary>
    public async Task<long> AppendAsync(string text)
    {
        for (int node = 0; ; node = (node + 1) % Count)
        {
            if (await TryAppendAsync(node, text) is { } number)
            {
                return number;
            }

            await Task.Delay(20);
        }
    }

    /// <summary>Returns the node that is the leader, as soon as there is one.</summary>
    public async Task<int> FindLeaderAsync()
    {
        for (int node = 0; ; node = (node + 1) % Count)
        {
            string? state = await TryGetAsync(node, "state");
            int leader = state is null ? -1 : Array.FindIndex(_ports, port => state.Contains($":{port}", StringComparison.Ordinal));
            if (leader >= 0 && _nodes[leader] is not null)
            {
                return leader;
            }

            await Task.Delay(20);
        }
    }

    /// <summary>Waits until a node has applied a record.</summary>
    public async Task WaitForAsync(int node, long number)
    {
        while (await TryGetAsync(node, "state") is not { } state || long.Parse(state.Split(' ')[^1], CultureInfo.InvariantCulture) < number)
        {
            await Task.Delay(20);
        }
    }

    /// <summary>Reads the log of each node, as soon as all have a record and are equal.</summary>
    public async Task<string[]> ReadEqualAsync(long lastNumber)
    {
        long began = Stopwatch.GetTimestamp();
        while (true)
        {
            string?[] logs = await Task.WhenAll(Enumerable.Range(0, Count).Select(n => TryGetAsync(n, "records?from=1")));
            if (logs[0]?.Split('\n', StringSplitOptions.RemoveEmptyEntries) is { } records && records.Length >= lastNumber
                && logs.All(log => log == logs[0]))
            {
                return records;
            }

            if (Stopwatch.GetElapsedTime(began) > TimeSpan.FromSeconds(120))
            {
                throw new InvalidDataException($"the logs differ: {string.Join(", ", logs.Select(static l => l?.Split('\n').Length - 1))} records");
            }

            await Task.Delay(50);
        }
    }

    public void Dispose()
    {
        for (int i = 0; i < Count; i++)
        {
            Kill(i);
        }

        _client.Dispose();
    }

    private async Task<string?> TryGetAsync(int node, string what)
    {
        ThrowIfEnded();
        try
        {
            return await _client.GetStringAsync($"{UrlOf(node)}/{what}");
        }
        catch (Exception e) when (e is HttpRequestException or OperationCanceledException)
        {
            return null;
        }
    }

    private void ThrowIfEnded()
    {
        for (int i = 0; i < Count; i++)
        {
            if (_nodes[i] is { HasExited: true } ended)
            {
                throw new InvalidDataException($"node {i} has ended with {ended.ExitCode}");
            }
        }
    }

    private string UrlOf(int node) => $"http://127.0.0.1:{_ports[node]}";
}
