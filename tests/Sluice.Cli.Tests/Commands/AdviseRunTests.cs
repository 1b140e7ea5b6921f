using System.Text.Json;
using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Advise;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice advise` as a user types it, on small files, and what it concludes from figures.</summary>
[Collection(MeasuringCollection.Name)]
[Trait("Runs", "once")]
public sealed class AdviseRunTests : FolderTest
{
    [Fact]
    public async Task Every_subject_gets_an_answer_with_its_line_of_code()
    {
        using TempFolder memory = TempFolder.InMemory();
        string disk = memory.FullPath;
        await ToolRun.SucceedAsync("advise", disk, "--quick", "--json", Folder["r.json"]);
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();

        IReadOnlyList<AdviceTopic> topics = AdviceTopics.All;
        JsonElement json = Folder.Json("r.json");
        JsonElement[] sections = [.. json.GetProperty("sections").EnumerateArray()];
        sections.Select(s => s.GetProperty("heading").GetString()).ShouldBe([.. topics.Select(s => s.Heading), "In short"]);
        foreach (JsonElement section in sections.SkipLast(1))
        {
            string text = section.GetProperty("text").GetString()!;
            text.ShouldStartWith("Take ");
            string[] codes = [.. section.GetProperty("tables")[0].GetProperty("rows").EnumerateArray()
                .Select(r => r.GetProperty("cells")[6].GetProperty("text").GetString()!)];
            codes.ShouldContain(text.Split('\n')[^1].Trim());
            codes.ShouldAllBe(c => c.Length > 10);
        }
        sections[^1].GetProperty("tables")[0].GetProperty("rows").GetArrayLength().ShouldBe(topics.Count);
    }

    [Fact]
    public void Of_ways_that_are_about_as_fast_the_one_with_the_least_CPU_is_taken()
    {
        Comparison comparison = Compare(
            (".NET", Reading(100, 5)), ("Sluice fast", Reading(200, 9)), ("Sluice thrifty", Reading(185, 3)),
            ("Sluice slow", Reading(150, 1)));
        comparison.Best.Approach.Name.ShouldBe("Sluice thrifty");
        string[] sentences = [.. comparison.Sentences()];
        sentences[0].ShouldStartWith("Take Sluice thrifty: 185 things/s");
        sentences[1].ShouldContain("1.85 x as fast as that, for 0.60 x the CPU");
        sentences[2].ShouldContain("Sluice fast is a little faster");
    }

    [Fact]
    public void Rounds_that_overlap_or_lie_far_apart_are_told()
    {
        string[] sentences = [.. Compare((".NET", Reading(100, 5, 90, 130)), ("Sluice", Reading(200, 5, 110, 210))).Sentences()];
        sentences.ShouldContain("The rounds of both overlap: that may be chance.");
        sentences.ShouldContain("Its rounds lay between 110 and 210 things/s: the machine was not steady, so ask again.");
        Compare((".NET", Reading(100, 5, 90, 130)), ("Sluice", Reading(200, 5, 190, 210))).Sentences().Count().ShouldBe(2);
    }

    private static ContenderReport Reading(double rate, double cpuUs, params double[] rounds) => new("", rate, cpuUs, 0, rounds);

    private static Comparison Compare(params (string Name, ContenderReport Reading)[] measured) => new(
        new AdviceTopic("h", "w", "things/s", _ => []),
        [.. measured.Select(m => (new Approach(m.Name, "code;", _ => Task.CompletedTask), m.Reading))], ClockHz: null);
}
