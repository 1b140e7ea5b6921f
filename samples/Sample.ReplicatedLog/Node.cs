using System.Globalization;
using System.Net;
using DotNext.Net.Cluster.Consensus.Raft;
using DotNext.Net.Cluster.Consensus.Raft.Http;
using DotNext.Net.Cluster.Consensus.Raft.StateMachine;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Sample.ReplicatedLog;

/// <summary>A node of the cluster, with Raft's messages and the users' requests at one port.</summary>
internal static class Node
{
    public static async Task RunAsync(string folder, int port, int[] ports)
    {
        using AppliedLog applied = new(Path.Combine(folder, "applied"));
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        // Raft reports each node that does not answer.
        builder.Logging.SetMinimumLevel(LogLevel.Critical);
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, port));
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["publicEndPoint"] = UrlOf(port).ToString(),
            ["coldStart"] = "false",
            ["lowerElectionTimeout"] = "1000",
            ["upperElectionTimeout"] = "2000",
            ["rpcTimeout"] = "00:00:10",
            ["requestTimeout"] = "00:00:10",
        });
        builder.Services
            .UseInMemoryConfigurationStorage(members =>
            {
                foreach (int member in ports)
                {
                    members.Add(new UriEndPoint(UrlOf(member)));
                }
            })
            .AddSingleton(new WriteAheadLog.Options { Location = Path.Combine(folder, "raft") })
            .AddSingleton<IStateMachine>(applied)
            .AddSingleton<IPersistentState, WriteAheadLog>();
        builder.JoinCluster();
        await using WebApplication app = builder.Build();
        _ = app.UseConsensusProtocolHandler();
        IRaftHttpCluster cluster = app.Services.GetRequiredService<IRaftHttpCluster>();
        _ = app.MapPost("/records", request => AppendAsync(request, cluster));
        _ = app.MapGet("/records", request => WriteAsync(request, applied, static (reader, token) => reader.ReadAllAsync(token)));
        _ = app.MapGet("/tail", request => WriteAsync(request, applied, static (reader, token) => reader.FollowAsync(token)));
        _ = app.MapGet("/state", () => $"{cluster.Leader?.EndPoint} {applied.LastSequence}");
        await app.RunAsync();
    }

    /// <summary>POST /records: appends the body, and answers with the number of the record when a majority of the nodes has it.</summary>
    private static async Task AppendAsync(HttpContext request, IRaftCluster cluster)
    {
        if (cluster.LeadershipToken.IsCancellationRequested)
        {
            if (cluster.Leader?.EndPoint is UriEndPoint leader)
            {
                request.Response.Redirect(new Uri(leader.Uri, "/records").ToString(), permanent: false, preserveMethod: true);
            }
            else
            {
                request.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            }

            return;
        }

        using MemoryStream text = new();
        await request.Request.Body.CopyToAsync(text, request.RequestAborted);
        TaskCompletionSource<long> applied = new(TaskCreationOptions.RunContinuationsAsynchronously);
        try
        {
            await cluster.ReplicateAsync(
                new BinaryLogEntry
                {
                    Content = text.ToArray(),
                    Term = cluster.Term,
                    CommandId = AppliedLog.AppendCommand,
                    Context = applied,
                },
                cluster.LeadershipToken);
            await request.Response.WriteAsync($"{await applied.Task.WaitAsync(cluster.LeadershipToken)}\n", request.RequestAborted);
        }
        catch (Exception e) when (e is InvalidOperationException or OperationCanceledException)
        {
            // The node is not the leader any more. The next leader may have the record, or not.
            request.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        }
    }

    /// <summary>GET /records?from=N and /tail?from=N: the records of this node from one on, a line each; "tail" waits for more.</summary>
    private static async Task WriteAsync(
        HttpContext request, AppliedLog applied, Func<SluiceLogReader, CancellationToken, IAsyncEnumerable<SluiceLogRecord>> read)
    {
        long from = long.TryParse(request.Request.Query["from"], CultureInfo.InvariantCulture, out long number) ? number : 1;
        using SluiceLogReader reader = applied.OpenReader(from);
        await foreach (SluiceLogRecord record in read(reader, request.RequestAborted))
        {
            await request.Response.WriteAsync($"{record.Sequence} {AppliedLog.TextOf(record)}\n", request.RequestAborted);
        }
    }

    public static Uri UrlOf(int port) => new($"http://127.0.0.1:{port.ToString(CultureInfo.InvariantCulture)}");
}
