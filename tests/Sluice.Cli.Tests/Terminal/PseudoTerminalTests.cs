using System.Globalization;
using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

/// <summary>What stands on the screen of a narrow and of a wide terminal.</summary>
[Trait("Runs", "once")]
public sealed class PseudoTerminalTests : IDisposable
{
    private static readonly string[][] Commands =
    [
        ["--help"],
        ["copy", "--help"],
        ["bench", "--help"],
        ["doctor", "."],
        ["copy", "a.dat", "b.dat"],
        ["copy", "-r", "-n", "tree", "other"],
        ["extents", "."],
        ["speed", "-t0.2", "--warmup", "0", "-r1M", "--engine", "both", "new.dat"],
        ["bench", ".", "--quick", "--row", "hot-read"],
        ["ops", ".", "--rounds", "1", "--size", "64K"],
        ["advise", ".", "--quick"],
        ["log", "--threads", "1", "--time", "1", "log"],
    ];

    private readonly TempFolder _folder = new();

    public PseudoTerminalTests()
    {
        Directory.CreateDirectory(_folder["tree"]);
        File.WriteAllBytes(_folder["tree/some file.txt"], new byte[100_000]);
        File.WriteAllBytes(_folder["a.dat"], new byte[1024 * 1024]);
        Directory.CreateDirectory(_folder["log"]);
    }

    public static TheoryData<int, string> Runs()
    {
        var runs = new TheoryData<int, string>();
        foreach (int columns in (int[])[80, 200])
        {
            foreach (string[] command in Commands)
                runs.Add(columns, string.Join(' ', command));
        }
        return runs;
    }

    public void Dispose() => _folder.Dispose();

    [SkippableTheory]
    [MemberData(nameof(Runs))]
    public void No_line_is_longer_than_the_terminal_is_wide(int columns, string command)
    {
        Skip.IfNot(PseudoTerminal.IsHere, "script(1) of util-linux is not installed");
        (int exitCode, string[] lines) = PseudoTerminal.Run(columns, _folder.FullPath, command.Split(' '));
        exitCode.ShouldBe(ExitCode.Success, string.Join('\n', lines));
        lines.ShouldNotBeEmpty();
        foreach (string line in lines)
            Columns(line).ShouldBeLessThanOrEqualTo(columns, line);
    }

    [SkippableFact]
    public void A_wide_terminal_shows_all_columns_and_a_narrow_one_names_the_others()
    {
        Skip.IfNot(PseudoTerminal.IsHere, "script(1) of util-linux is not installed");
        string[] command = ["bench", ".", "--quick", "--row", "hot-read"];
        string[] narrow = PseudoTerminal.Run(80, _folder.FullPath, command).Lines;
        string[] wide = PseudoTerminal.Run(230, _folder.FullPath, command).Lines;
        narrow.ShouldContain(l => l.StartsWith("not shown for want of room:", StringComparison.Ordinal));
        wide.ShouldNotContain(l => l.StartsWith("not shown for want of room:", StringComparison.Ordinal));
        wide.ShouldContain(l => l.Contains("CPU us/op", StringComparison.Ordinal) && l.Contains("best", StringComparison.Ordinal));
    }

    [SkippableFact]
    public void A_terminal_that_can_draw_no_line_anew_is_not_filled_with_progress()
    {
        Skip.IfNot(PseudoTerminal.IsHere, "script(1) of util-linux is not installed");
        string[] command = ["speed", "-t2", "--warmup", "0", "-r1M", "new.dat"];
        string[] lines = PseudoTerminal.RunAs("dumb", 80, _folder.FullPath, command).Lines;
        lines.Count(l => l.Contains("IOPS, p99", StringComparison.Ordinal)).ShouldBeLessThan(4);
    }

    /// <summary>How much there is in all is not known before the last file has been met.</summary>
    [SkippableFact]
    public void The_live_line_of_a_tree_says_no_share_of_what_is_not_known_yet()
    {
        Skip.IfNot(PseudoTerminal.IsHere, "script(1) of util-linux is not installed");
        File.WriteAllBytes(_folder["tree/larger"], new byte[2 << 20]);
        (int exitCode, string[] lines) = PseudoTerminal.Run(80, _folder.FullPath, "copy", "-r", "--bwlimit", "1M", "tree", "other");
        exitCode.ShouldBe(ExitCode.Success, string.Join('\n', lines));
        string[] drawn = [.. lines.Where(l => l.Contains("MiB/s", StringComparison.Ordinal) && !l.Contains("->"))];
        drawn.ShouldNotBeEmpty();
        foreach (string share in (string[])["%", " left", " of "])
            drawn.ShouldAllBe(l => !l.Contains(share, StringComparison.Ordinal), share);
    }

    private static int Columns(string line) => new StringInfo(line).LengthInTextElements;
}
