using Sluice.Tests.Model;

namespace Sluice.Faults.Child.Conformance;

/// <summary>The model of Sluice.Tests, for a while.</summary>
internal static class RandomWalk
{
    private const int Seed = 11;
    private const int Steps = 400;

    public static async Task Random_operations_match_a_model(ConformanceTarget target)
    {
        using ScratchFile file = target.NewFile();
        await using HandleModel model = new(file.Path, target.Caching, target.Engine, Seed);
        await model.RunAsync(Steps);
    }
}
