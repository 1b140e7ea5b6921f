namespace Sluice.Cli.Bench.Handles;

/// <summary>
/// How the engine grows with the machine: the engine alone, and direct reads, at 1, 2, 4 loops and so on, up to twice the processors
/// there are. The last rows of a machine say where its next limit is; docs/decisions says what was expected.
/// </summary>
internal static class ScaleSuite
{
    private const int DepthOfLoop = 32;

    public static Suite Create() => new(
        "scale", "the engine by itself and direct reads, up to twice the processors of this machine", 1,
        static scale => scale.SliceTime, [.. Rows()]);

    private static IEnumerable<Row> Rows()
    {
        for (int loops = 1; loops <= 2 * Environment.ProcessorCount; loops *= 2)
            yield return EngineRows.Alone(loops, "scale-engine");
        for (int loops = 1; loops <= 2 * Environment.ProcessorCount; loops *= 2)
        {
            yield return HandleSuite.DirectRead(
                "scale-read", loops * DepthOfLoop, "ReadAsync in so many loops, from as many threads as the pool gives");
        }
    }
}
