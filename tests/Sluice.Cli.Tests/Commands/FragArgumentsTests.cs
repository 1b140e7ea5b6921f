using System.CommandLine;
using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Programs.Frag;
using Sluice.Cli.Terminal;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>The letters of FragDisk (MSR-TR-2004-136), as docs/cli.md has them; <see cref="FragPlan"/> has tests of what they do.</summary>
public sealed class FragArgumentsTests
{
    [Fact]
    public void The_defaults_are_those_of_the_report() => Parse("d").Settings.ShouldBe(new FragSettings(
        MaxFiles: 100_000, MinSizeBytes: 1 << 20, MaxSizeBytes: 256 << 20, FilesPerCycle: 1000, FilesPerDirectory: 100,
        SubdirectoriesPerDirectory: 10, Cycles: 0, KeepPercent: 5, FillPercent: 70, Seed: 137, LeaveBytes: 2L << 30));

    [Theory]
    [InlineData("-m11 -Fm2 -FM3 -c4 -d5 -s6 -n7 -k8 -f9 -r10 d")]
    [InlineData("--max-files 11 --min-size 2 --max-size 3M --cycle-files 4 --dir-files 5 --subdirs 6 --cycles 7 --keep 8 --fill 9 --seed 10 d")]
    public void Each_letter_has_its_meaning(string typed) => Parse(typed).Settings.ShouldBe(new FragSettings(
        MaxFiles: 11, MinSizeBytes: 2 << 20, MaxSizeBytes: 3 << 20, FilesPerCycle: 4, FilesPerDirectory: 5,
        SubdirectoriesPerDirectory: 6, Cycles: 7, KeepPercent: 8, FillPercent: 9, Seed: 10, LeaveBytes: 2L << 30));

    private static FragOptions Parse(string typed)
    {
        var command = new Command("frag");
        var options = new OptionList(command);
        Func<ParseResult, FragOptions> bind = FragOptions.Define(options);
        return bind(command.Parse(options.Expand(typed.Split(' '))));
    }
}
