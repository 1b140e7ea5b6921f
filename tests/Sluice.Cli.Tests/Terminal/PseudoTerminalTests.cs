using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

/// <summary>What stands on the screen of a narrow and of a wide terminal.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed partial class PseudoTerminalTests : FolderTest
{
    private static readonly string[][] Commands =
    [
        ["--help"],
        ["doctor", "."],
        ["copy", "a.dat", "b.dat"],
        ["copy", "-r", "-n", "tree", "other"],
        ["speed", "-t0.2", "--warmup", "0", "-r1M", "--engine", "both", "new.dat"],
        ["bench", ".", "--quick", "--row", "hot-read"],
        ["log", "--threads", "2", "--rate", "100K", "--durability", "durable", "--time", "1", "log"],
        ["merge", "shard-0.json", "shard-1.json"],
        ["compare", "bench.json", "bench.json"],
        ["frag", "--dry-run", "--budget", "100M", "-Fm1", "-FM8", "-n2", "."],
        ["examples", "new.dat", "1000", "--rounds", "1"],
    ];

    public PseudoTerminalTests()
    {
        Directory.CreateDirectory(Folder["tree"]);
        File.WriteAllBytes(Folder["tree/some file.txt"], new byte[100_000]);
        File.WriteAllBytes(Folder["a.dat"], new byte[1024 * 1024]);
        Directory.CreateDirectory(Folder["log"]);
    }

    /// <summary>What the commands above read that read results.</summary>
    private static readonly string[][] Before =
    [
        ["copy", "-r", "--shard", "0/2", "--json", "shard-0.json", "tree", "shards"],
        ["copy", "-r", "--shard", "1/2", "--json", "shard-1.json", "tree", "shards"],
        ["bench", ".", "--quick", "--row", "hot-read", "--json", "bench.json"],
    ];

    public static TheoryData<string> Runs => [.. Commands.Select(c => string.Join(' ', c))];

    [SkippableTheory]
    [MemberData(nameof(Runs))]
    public async Task No_line_is_longer_than_the_terminal_is_wide(string command)
    {
        const int Width = 80;
        Skip.IfNot(PseudoTerminal.IsHere, "script(1) of util-linux is not installed");
        await MakeResultsAsync(command);
        (int exitCode, string[] lines) = PseudoTerminal.Run(Width, Folder.FullPath, command.Split(' '));
        exitCode.ShouldBe(ExitCode.Success, string.Join('\n', lines));
        lines.ShouldNotBeEmpty();
        foreach (string line in lines)
            Columns(line).ShouldBeLessThanOrEqualTo(Width, line);
    }

    [SkippableFact]
    public void A_wide_terminal_shows_all_columns_and_a_narrow_one_names_the_others()
    {
        Skip.IfNot(PseudoTerminal.IsHere, "script(1) of util-linux is not installed");
        string[] command = ["bench", ".", "--quick", "--row", "hot-read"];
        string[] narrow = PseudoTerminal.Run(80, Folder.FullPath, command).Lines;
        string[] wide = PseudoTerminal.Run(230, Folder.FullPath, command).Lines;
        narrow.ShouldContain(l => l.StartsWith("not shown for want of room:", StringComparison.Ordinal));
        wide.ShouldNotContain(l => l.StartsWith("not shown for want of room:", StringComparison.Ordinal));
        wide.ShouldContain(l => l.Contains("CPU us/op", StringComparison.Ordinal) && l.Contains("best", StringComparison.Ordinal));
    }

    [SkippableFact]
    public void A_terminal_that_can_draw_no_line_anew_is_not_filled_with_progress()
    {
        Skip.IfNot(PseudoTerminal.IsHere, "script(1) of util-linux is not installed");
        string[] command = ["speed", "-t2", "--warmup", "0", "-r1M", "new.dat"];
        long began = Stopwatch.GetTimestamp();
        string[] lines = PseudoTerminal.RunAs("dumb", 80, Folder.FullPath, command).Lines;

        // One in ten seconds, however long the run takes.
        double most = (Stopwatch.GetElapsedTime(began).TotalSeconds / 10) + 1;
        ((double)lines.Count(l => l.Contains("IOPS, p99", StringComparison.Ordinal))).ShouldBeLessThanOrEqualTo(most);
        lines.ShouldNotContain("starting");
    }

    /// <summary>How much there is in all is not known before the last file has been met.</summary>
    [SkippableFact]
    public void The_live_line_of_a_tree_says_no_share_of_what_is_not_known_yet()
    {
        Skip.IfNot(PseudoTerminal.IsHere, "script(1) of util-linux is not installed");
        File.WriteAllBytes(Folder["tree/larger"], new byte[2 << 20]);
        (int exitCode, string[] lines) = PseudoTerminal.Run(80, Folder.FullPath, "copy", "-r", "--bwlimit", "1M", "tree", "other");
        exitCode.ShouldBe(ExitCode.Success, string.Join('\n', lines));
        string[] drawn = [.. lines.Where(l => l.Contains("MiB/s", StringComparison.Ordinal) && !l.Contains("->"))];
        drawn.ShouldNotBeEmpty();
        foreach (string share in (string[])["%", " left", " of "])
            drawn.ShouldAllBe(l => !l.Contains(share, StringComparison.Ordinal), share);
    }

    [SkippableFact]
    public void A_bench_tells_how_far_it_is_and_how_long_the_rest_will_take()
    {
        Skip.IfNot(PseudoTerminal.IsHere, "script(1) of util-linux is not installed");

        // The short form can end before the display is drawn for its second row.
        (int exitCode, string[] lines) =
            PseudoTerminal.Run(80, Folder.FullPath, "bench", ".", "--suite", "handle", "--row", "sync-");
        exitCode.ShouldBe(ExitCode.Success, string.Join('\n', lines));
        lines.ShouldContain(l => TimeLeft().IsMatch(l), string.Join('\n', lines));
    }

    /// <summary>Makes those of the results that the command names.</summary>
    private async Task MakeResultsAsync(string command)
    {
        foreach (string[] made in Before.Where(b => command.Contains(b.Single(IsResult), StringComparison.Ordinal)))
        {
            using ToolProcess process = ToolProcess.Start(Folder.FullPath, made);
            (await process.EndAsync()).ExitCode.ShouldBe(ExitCode.Success, string.Join(' ', made));
        }
    }

    private static bool IsResult(string argument) => argument.EndsWith(".json", StringComparison.Ordinal);

    [GeneratedRegex("[0-9]+ of [0-9]+, about [0-9]+ (s|min) left: ", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex TimeLeft();

    private static int Columns(string line) => new StringInfo(line).LengthInTextElements;
}
