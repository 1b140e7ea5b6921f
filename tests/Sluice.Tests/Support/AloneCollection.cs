namespace Sluice.Tests.Support;

/// <summary>Tests that count what the whole process has: they run after all others, one at a time.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    public const string Name = "alone";
}
