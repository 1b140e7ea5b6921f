namespace Sluice.Hostile.Tests.Seams;

/// <summary>Rings are made when the first operation needs them, and others come meanwhile; how many there are and why is told.</summary>
[Trait("Tier", "slow")]
public sealed class StartingRingsTests : HostileTests
{
    [SkippableFact]
    public Task No_operation_goes_to_a_ring_that_is_being_made() =>
        SucceedAsync([("SLUICE_RINGS", "2")], "starting rings", Temp.NewFile(new byte[10]));

    /// <summary>The kernel lets nobody enter from the beginning, as if that were for the moment only.</summary>
    [SkippableFact]
    public Task Where_the_kernel_takes_no_entry_from_the_beginning_there_is_no_ring() => SucceedAsync([], "starved start");

    [SkippableFact]
    public Task Where_threads_that_submit_meet_often_there_is_one_ring_more()
    {
        Skip.If(Environment.ProcessorCount < 2, "there is one processor");
        return SucceedAsync([], "growing rings", Temp.NewFile(new byte[10]));
    }

    [SkippableTheory]
    [InlineData("4", false, "4, as SLUICE_RINGS or Sluice.Rings says", "")]
    [InlineData("4", true, "2 of at most 4: another was refused (no descriptor is left for io_uring (EMFILE: raise RLIMIT_NOFILE))", "")]
    [InlineData(
        "1000", false, "256, the most that there are: SLUICE_RINGS or Sluice.Rings asks for 1000",
        "SLUICE_RINGS or Sluice.Rings has the value '1000': there are 1 to 256 rings")]
    [InlineData(
        "-3", false, "1, the fewest that there are: SLUICE_RINGS or Sluice.Rings asks for -3",
        "SLUICE_RINGS or Sluice.Rings has the value '-3': there are 1 to 256 rings")]
    public async Task It_is_told_how_many_rings_there_are_and_why(string asked, bool isRefused, string told, string note) =>
        (await TellAsync([("SLUICE_RINGS", asked)], "described rings", $"{isRefused}")).ShouldBe((told, note));

    [SkippableTheory]
    [InlineData("Sluice.Rings", "2", "2, as SLUICE_RINGS or Sluice.Rings says")]
    [InlineData("Sluice.Engine", "pool", "no ring: the knob Sluice.Engine asks for the pool")]
    public async Task A_program_chooses_the_engine_and_the_number_of_rings(string knob, string value, string told) =>
        (await TellAsync([("SLUICE_ENGINE", ""), ("SLUICE_RINGS", "")], "set rings", knob, value)).ShouldBe((told, ""));

    /// <summary>The kernel makes no ring with room for fewer completions than entries.</summary>
    [SkippableFact]
    public async Task A_ring_of_more_entries_than_a_program_left_room_for_completions_is_made() =>
        (await TellAsync([("SLUICE_ENGINE", ""), ("SLUICE_RINGS", "")], "set rings", "Sluice.RingEntries", "8192"))
            .Told.ShouldNotBeNull().ShouldStartWith("1");

    private static async Task<(string? Told, string? Note)> TellAsync((string, string)[] environment, params string[] arguments)
    {
        using ChildProcess child = Start(environment, arguments);
        string? told = await child.Output.ReadLineAsync();
        string? note = await child.Output.ReadLineAsync();
        await child.SucceedAsync();
        return (told, note);
    }

    private static async Task SucceedAsync((string, string)[] environment, params string[] arguments)
    {
        using ChildProcess child = Start(environment, arguments);
        await child.SucceedAsync();
    }

    private static ChildProcess Start((string Name, string Value)[] environment, string[] arguments)
    {
        SkipWithoutRing();
        return new ChildProcess(null, [], arguments, environment);
    }
}
