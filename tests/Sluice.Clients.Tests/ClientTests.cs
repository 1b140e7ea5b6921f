using System.Text.RegularExpressions;
using Shouldly;
using Sluice.Clients.Tests.Clients;
using Sluice.Clients.Tests.Figures;
using Sluice.Clients.Tests.Support;
using Xunit;

namespace Sluice.Clients.Tests;

/// <summary>
/// What other people's libraries do over a SluiceStream is what they do over a FileStream: the same files, byte for byte, and the same
/// things read from them. The engine is the process's: CI runs this once with rings and once with the pool.
/// </summary>
[Trait("Tier", "slow")]
public sealed class ClientTests
{
    public static TheoryData<string, FileCaching, int> Cases()
    {
        TheoryData<string, FileCaching, int> cases = [];
        foreach (Client client in ClientList.All)
        {
            // -1: a buffer that sizes itself.
            foreach ((FileCaching caching, int bufferSize) in ((FileCaching, int)[])[(FileCaching.Cached, -1), (FileCaching.Cached, 0),
                (FileCaching.Cached, 4096), (FileCaching.Uncached, -1), (FileCaching.Direct, -1), (FileCaching.Direct, 4096)])
            {
                cases.Add(client.Name, caching, bufferSize);
            }
        }

        return cases;
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public async Task A_client_makes_and_sees_the_same(string name, FileCaching caching, int bufferSize)
    {
        Client client = ClientList.All.Single(c => c.Name == name);
        string root = Directory.CreateTempSubdirectory("sluice-clients-").FullName;
        try
        {
            using Workplace expected = new(Path.Combine(root, "FileStream"), caching: null);
            using Workplace actual = new(Path.Combine(root, "SluiceStream"), caching, bufferSize);
            await client.Work(expected);
            await client.Work(actual);
            actual.Seen.ShouldBe(expected.Seen);
            expected.Seen.Count.ShouldBeGreaterThan(0, "a client that sees nothing proves nothing");
            Names(actual).ShouldBe(Names(expected));
            foreach (string file in Names(expected))
            {
                File.ReadAllBytes(actual.PathOf(file)).AsSpan().SequenceEqual(File.ReadAllBytes(expected.PathOf(file))).ShouldBeTrue(file);
            }
        }
        finally
        {
            Directory.Delete(root, recursive: true);
        }
    }

    /// <summary>docs/clients.md is what the generator writes, but for the figures: each row has some.</summary>
    [Fact]
    [Trait("Runs", "once")]
    public void The_document_is_as_it_is_generated_with_a_figure_in_each_row()
    {
        const string figure = @"\d+\.\d\d \(\d+\.\d\d-\d+\.\d\d\)";
        const RegexOptions Options = RegexOptions.Multiline | RegexOptions.ExplicitCapture;
        const string row = $@"^(?<name>\| .+ \|) {figure} \| \d+\.\d\d \| {figure} \| {figure} \| (?:any|cached|slower: [a-z, ]+) \|$";
        const string measured = @"Measured \d{4}-\d\d-\d\d on .+, \d+ processors,\n.+, \.NET [\d.]+, engine \w+; \d+ rounds\.";
        string document = File.ReadAllText(Path.Combine(Repository(), "docs", "clients.md"));
        document = Regex.Replace(document, row, "${name} FIGURES |", Options, TimeSpan.FromMinutes(1));
        document = Regex.Replace(document, measured, "MEASURED", RegexOptions.None, TimeSpan.FromMinutes(1));
        string rows = string.Concat(ClientList.All.Select(c => $"| {c.Name} | FIGURES |\n"));
        document.ShouldBe($"{ClientFigures.Preamble("MEASURED")}\n{rows}{ClientFigures.Notes()}", "it says how it is made anew");
    }

    private static string Repository()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Sluice.slnx")))
        {
            folder = Path.GetDirectoryName(folder);
        }

        return folder.ShouldNotBeNull();
    }

    private static string[] Names(Workplace place) =>
        [.. Directory.EnumerateFiles(place.Folder).Select(p => Path.GetFileName(p)).Order(StringComparer.Ordinal)];
}
