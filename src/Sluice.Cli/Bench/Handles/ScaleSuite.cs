using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Handles;

/// <summary>
/// How the engine grows with the machine: the engine alone, and direct reads, at 1, 2, 4 loops and so on, up to twice the processors
/// there are. The last rows of a machine say where its next limit is; docs/decisions says what was expected.
/// </summary>
internal static class ScaleSuite
{
    private const int PageBytes = (int)(4 * ByteSize.KiB);
    private const int DepthOfLoop = 32;

    public static Suite Create() => new(
        "scale", "the engine by itself and direct reads, up to twice the processors of this machine", 1,
        static scale => scale.SliceTime, [.. Rows()]);

    private static IEnumerable<Row> Rows()
    {
        for (int loops = 1; loops <= 2 * Environment.ProcessorCount; loops *= 2)
            yield return EngineRows.Alone(loops, "scale-engine");
        for (int loops = 1; loops <= 2 * Environment.ProcessorCount; loops *= 2)
            yield return DirectRead(loops * DepthOfLoop);
    }

    private static Row DirectRead(int depth) => new(
        $"scale-read-d{depth}", $"direct 4 KiB random read, depth {depth}",
        "ReadAsync in so many loops, from as many threads as the pool gives",
        context =>
        {
            RandomOffsets offsets = RandomOffsets.Of(context.Scale.DirectFileBytes, PageBytes, depth);
            return HandleSuite.Pair(
                HandleSuite.Direct(context, FileAccess.Read), side => Loops.ReadAsync(side, depth, PageBytes, offsets), depth);
        })
    {
        IsRequest = true,
        Fio = new FioJob("randread", PageBytes, depth),
    };
}
