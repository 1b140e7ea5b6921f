using System.Text.Json.Nodes;
using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Readme;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Compare;

/// <summary>Results that somebody has damaged: each is compared, or refused in one line that says which file it is.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class DamagedResultTests : IDisposable
{
    private static readonly string[] Values =
    [
        "null", "\"x\"", "\"\"", "-1", "0", "1e308", "9999999999999999999999", "2.5", "true", "{}", "[]", "[null]", "[[]]",
        "[1e308, -1e308]",
    ];

    private readonly TempFolder _folder = TempFolder.InMemory();
    private readonly List<string> _wrong = [];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public Task A_kept_result() =>
        CompareDamagedAsync(Path.Combine(ReadmeTests.Root, "bench", "results", "epyc-2core-virtio-ext4", "handle.json"));

    [SkippableFact]
    public async Task A_result_of_a_shard()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "copies in shards are Linux's");
        Directory.CreateDirectory(_folder["tree"]);
        foreach (string part in (string[])["0", "1"])
        {
            ToolRun run = await ToolRun.RunAsync(
                "copy", "-r", "--shard", $"{part}/2", _folder["tree"], _folder["copy"], "--json", _folder[$"shard{part}.json"]);
            run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        }

        await DamageAsync(
            JsonNode.Parse(File.ReadAllText(_folder["shard1.json"]))!,
            static _ => true,
            bad => ToolRun.RunAsync("merge", _folder["shard0.json"], bad, "--overwrite", "--json", _folder["out.json"]));
    }

    [Fact]
    public async Task A_result_of_a_rank()
    {
        Directory.CreateDirectory(_folder["meet"]);
        ToolRun[] runs = await Task.WhenAll(Enumerable.Range(0, 2).Select(i => ToolRun.RunAsync(
            "speed", "-t0.1", "--warmup", "0", "-w64K", "-b4K", "--shard", $"{i}/2", "--rendezvous", _folder["meet"],
            "--json", _folder[$"rank{i}.json"], _folder[$"{i}.dat"])));
        runs.ShouldAllBe(r => r.ExitCode == ExitCode.Success);
        JsonNode whole = JsonNode.Parse(File.ReadAllText(_folder["rank1.json"]))!;

        // One that is whole with as few elements as lists are cut to.
        whole["sides"]![0]!["histograms"]!["write"] = JsonNode.Parse(
            """{ "upToNs": [10, 20], "counts": [3, 4], "sumNs": 100, "minNs": 5, "maxNs": 20 }""");
        string[] places = ["/rank", "/workload", "/sides", "/environment"];
        string[] folders = ["/rank/", "/sides/0/histograms"];
        await DamageAsync(
            whole,
            path => places.Contains(path) || Array.Exists(folders, f => path.StartsWith(f, StringComparison.Ordinal)),
            bad => ToolRun.RunAsync("merge", _folder["rank0.json"], bad, "--overwrite", "--json", _folder["out.json"]));
    }

    [Fact]
    public async Task A_result_of_copy()
    {
        File.WriteAllBytes(_folder["source"], new byte[100_000]);
        ToolRun run = await ToolRun.RunAsync("copy", "--verify", _folder["source"], _folder["target"], "--json", _folder["result.json"]);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        await CompareDamagedAsync(_folder["result.json"]);
    }

    /// <summary>Each value of each kind of place once: elements of a list are alike.</summary>
    /// <param name="whole">A good result.</param>
    /// <param name="isMeant">Whether what has this path is damaged.</param>
    /// <param name="uses">What is done with one that may be damaged, by its path.</param>
    private async Task DamageAsync(JsonNode whole, Func<string, bool> isMeant, params Func<string, Task<ToolRun>>[] uses)
    {
        Shorten(whole);
        string text = whole.ToJsonString();
        string bad = _folder["bad.json"];
        await File.WriteAllTextAsync(_folder["good.json"], text);
        (await uses[0](_folder["good.json"])).ExitCode.ShouldBe(ExitCode.Success);
        HashSet<string> seen = [];
        foreach (string path in Paths(whole, "").Where(isMeant))
        {
            if (!seen.Add(string.Join('/', path.Split('/').Select(p => int.TryParse(p, out _) ? "*" : p))))
            {
                continue;
            }

            foreach (string? value in (string?[])[null, .. Values])
            {
                JsonNode copy = JsonNode.Parse(text)!;
                Set(copy, path, value);
                await File.WriteAllTextAsync(bad, copy.ToJsonString());
                foreach (Func<string, Task<ToolRun>> use in uses)
                {
                    await CheckAsync(use, $"{path} = {value}");
                }
            }
        }

        for (int length = 0; length < text.Length; length += 1 + (text.Length / 100))
        {
            await File.WriteAllTextAsync(bad, text[..length]);
            await CheckAsync(uses[^1], $"{length} characters");
        }

        await File.WriteAllTextAsync(bad, string.Concat(Enumerable.Repeat("[", 100_000)));
        await CheckAsync(uses[0], "deep");
        await File.WriteAllTextAsync(bad, $"{text[..^1]},{text[1..]}");
        await CheckAsync(uses[0], "every name twice");
        await File.WriteAllBytesAsync(bad, [0xFF, 0xFE, 0, .. new byte[100]]);
        await CheckAsync(uses[0], "no text");
        _wrong.ShouldBeEmpty($"{_wrong.Count} of them");
    }

    private async Task CheckAsync(Func<string, Task<ToolRun>> use, string what)
    {
        ToolRun run = await use(_folder["bad.json"]);

        // That something failed, or is missing, is a result too.
        bool isRight = run.ExitCode == ExitCode.Success || (run.ExitCode == ExitCode.IoError && run.Out.Length > 0)
            ? run.Error.Length == 0
            : run.ExitCode == ExitCode.Usage && run.Error.Trim().Split('\n').Length == 1
                && run.Error.Contains("bad.json", StringComparison.Ordinal)
                && run.Out.Length == 0;
        if (!isRight)
        {
            _wrong.Add($"{what}: {run.ExitCode}, {run.Error.Trim()}");
        }
    }

    private Task CompareDamagedAsync(string path) => DamageAsync(
        JsonNode.Parse(File.ReadAllText(path))!, static _ => true,
        bad => CompareAsync(_folder["good.json"], bad), bad => CompareAsync(bad, bad));

    private Task<ToolRun> CompareAsync(string first, string second) => ToolRun.RunAsync(
        "compare", first, second, "--overwrite", "--json", _folder["out.json"], "--csv", _folder["out.csv"]);

    private static void Shorten(JsonNode? node)
    {
        if (node is JsonArray { Count: > 2 } array)
        {
            while (array.Count > 2)
            {
                array.RemoveAt(2);
            }
        }

        foreach (JsonNode? child in Children(node))
        {
            Shorten(child);
        }
    }

    private static IEnumerable<JsonNode?> Children(JsonNode? node) => node switch
    {
        JsonObject o => [.. o.Select(p => p.Value)],
        JsonArray a => [.. a],
        _ => [],
    };

    private static IEnumerable<string> Paths(JsonNode? node, string path)
    {
        IEnumerable<(string Name, JsonNode? Child)> children = node switch
        {
            JsonObject o => o.Select(p => (p.Key, p.Value)),
            JsonArray a => a.Select((c, i) => (i.ToString(System.Globalization.CultureInfo.InvariantCulture), c)),
            _ => [],
        };
        foreach ((string name, JsonNode? child) in children)
        {
            yield return $"{path}/{name}";
            foreach (string below in Paths(child, $"{path}/{name}"))
            {
                yield return below;
            }
        }
    }

    private static void Set(JsonNode whole, string path, string? value)
    {
        string[] names = path.Split('/')[1..];
        JsonNode parent = names[..^1].Aggregate(whole, (n, name) => n is JsonArray a ? a[int.Parse(name)]! : n[name]!);
        JsonNode? node = value is null ? null : JsonNode.Parse(value);
        switch (parent)
        {
            case JsonArray array when value is null:
                array.RemoveAt(int.Parse(names[^1]));
                break;
            case JsonArray array:
                array[int.Parse(names[^1])] = node;
                break;
            case JsonObject o when value is null:
                o.Remove(names[^1]);
                break;
            default:
                parent[names[^1]] = node;
                break;
        }
    }
}
