using Xunit;

namespace Sluice.Cli.Tests.Support;

/// <summary>
/// Commands that measure block threads of the pool and wait for the disk: beside other tests they take minutes for seconds.
/// </summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class MeasuringCollection
{
    public const string Name = "Measuring commands";
}
