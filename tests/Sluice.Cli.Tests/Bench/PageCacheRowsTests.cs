using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

/// <summary>Rows that fill the page cache: which they are, and that both sides meet the same machine.</summary>
public sealed class PageCacheRowsTests : FolderTest
{
    private readonly List<string> _events = [];

    [Theory]
    [InlineData(nameof(PageCacheFill.Once))]
    [InlineData(nameof(PageCacheFill.ForSlice))]
    public async Task Each_measured_turn_comes_right_after_an_unmeasured_one_of_its_side(string fill)
    {
        Row row = new("made", "made", "", _ => new Contest(Side("Sluice"), Side(".NET"))) { Fills = Enum.Parse<PageCacheFill>(fill) };
        await RunAsync(row);
        string[] there = ["prepare Sluice", "Sluice", "prepare Sluice", "Sluice", "prepare .NET", ".NET", "prepare .NET", ".NET"];
        string[] back = [.. there[4..], .. there[..4]];
        // Before the rounds each side has its warming up.
        string[] rounds = [.. _events.Skip(4).Take(16)];
        rounds.ShouldBe([.. there, .. back]);
    }

    private Task RunAsync(Row row) =>
        new RowRunner(new BenchContext(Folder.FullPath, BenchScale.Quick, CancellationToken.None), fio: null, CancellationToken.None)
            .RunAsync(Suite.All[0], row);

    private Contender Side(string name) => new(name, slice =>
    {
        _events.Add(name);
        slice.Count(0);
        return Task.CompletedTask;
    })
    {
        Prepare = () => _events.Add($"prepare {name}"),
    };
}
