using Shouldly;
using Sluice.Cli.Programs;
using Xunit;

namespace Sluice.Cli.Tests.Programs;

/// <summary>What ends the steps of a run, and what is left of them.</summary>
public sealed class ProgramRunTests
{
    [Fact]
    public async Task An_error_of_a_program_that_the_signal_ended_too_is_an_interruption()
    {
        using var source = new CancellationTokenSource();
        StepResults<int> ended = await ProgramRun.RunStepsAsync(
            [1, 2, 3],
            step =>
            {
                if (step == 1)
                    return Task.FromResult(step);
                source.Cancel();
                throw new IOException("cp: exit code 130");
            },
            source.Token);
        ended.Interrupted.ShouldBeTrue();
        ended.Failure.ShouldBeNull();
        ended.Results.ShouldBe([1]);
    }
}
