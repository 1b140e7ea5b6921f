using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Advise;
using Sluice.Cli.Tests.Readme;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Programs.Advise;

/// <summary>A line of C# that `sluice advise` prints can be typed as it is.</summary>
[Trait("Runs", "once")]
public sealed class AdviceCodeTests : FolderTest
{
    [Fact]
    public void Every_line_of_code_is_compiled()
    {
        string source = Path.Combine(ReadmeTests.Root, "tests", "Sluice.Cli.Tests", "Programs", "Advise", "AdviceCode.cs");
        HashSet<string> compiled = [.. File.ReadLines(source).Select(l => l.Trim())];
        var context = new BenchContext(
            Folder.FullPath,
            BenchScale.Quick with { DirectFileBytes = 1 << 20, HotFileBytes = 1 << 20, SmallFileCount = 16, CopyFileBytes = 1 << 20 },
            CancellationToken.None);
        string[] printed = [.. AdviceTopics.All.SelectMany(t => t.Open(context)).Select(a => a.Code)];
        printed.Length.ShouldBeGreaterThan(AdviceTopics.All.Count);
        printed.Except(compiled).ShouldBeEmpty();
        // A comment is not compiled.
        printed.ShouldAllBe(code => !code.Contains("//"));
    }
}
