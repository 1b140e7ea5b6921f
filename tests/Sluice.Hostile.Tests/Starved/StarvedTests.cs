namespace Sluice.Hostile.Tests.Starved;

/// <summary>
/// One call of each kind in a process with two threads in its pool, with twenty descriptors to spare, and as a user who may do nothing.
/// The test host itself needs more threads than two: what runs so is a program of its own.
/// </summary>
[Trait("Tier", "slow")]
public sealed class StarvedTests : HostileTests
{
    /// <summary>Threads of the pool do not end for want of work.</summary>
    private static readonly (string, string) KeepAlive = ("DOTNET_ThreadPool_ThreadsToKeepAlive", "1000");

    [SkippableFact]
    public async Task Two_threads_in_the_pool()
    {
        // No fewer threads than processors.
        (string, string)[] two = [("DOTNET_PROCESSOR_COUNT", "2"), ("DOTNET_ThreadPool_ForceMaxWorkerThreads", "2")];
        using ChildProcess child = new(null, [], ["representative", Temp.Root, "0", "never"], two);
        (await child.Output.ReadLineAsync()).ShouldNotBeNull().ShouldStartWith("2 threads");
        await child.SucceedAsync();
    }

    [LinuxFact]
    public async Task Twenty_descriptors_to_spare()
    {
        using ChildProcess child = new(null, [], ["representative", Temp.Root, "20", "may refuse"], KeepAlive);
        await child.SucceedAsync();
    }

    [SkippableFact]
    public async Task Nobody()
    {
        string[] nobody = OtherUser.OrSkip();
        string folder = Directory.CreateDirectory(Path.Combine(Temp.Root, "nobody's")).FullName;
#pragma warning disable CA1416 // Skipped where there are no such modes.
        File.SetUnixFileMode(Temp.Root, (UnixFileMode)0x1ED);
        File.SetUnixFileMode(folder, (UnixFileMode)0x1FF);
#pragma warning restore CA1416
        using ChildProcess child = new(null, nobody, ["representative", folder, "0", "never"]);
        await child.SucceedAsync();
    }
}
