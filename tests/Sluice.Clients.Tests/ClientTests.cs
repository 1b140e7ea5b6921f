using Shouldly;
using Sluice.Clients.Tests.Clients;
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
            foreach ((FileCaching caching, int bufferSize) in ((FileCaching, int)[])
                [(FileCaching.Cached, -1), (FileCaching.Cached, 0), (FileCaching.Direct, 4096)])
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

    private static string[] Names(Workplace place) =>
        [.. Directory.EnumerateFiles(place.Folder).Select(p => Path.GetFileName(p)).Order(StringComparer.Ordinal)];
}
