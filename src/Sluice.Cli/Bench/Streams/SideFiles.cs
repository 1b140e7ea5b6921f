namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// Files that one side writes: were they the other's too, each would wait, when it empties a file, for what the other has left to the
/// device.
/// </summary>
internal static class SideFiles
{
    /// <summary>What opening allocates depends on the path's length: names of both sides must be equally long.</summary>
    private const int NameLength = 3;

    /// <inheritdoc cref="BenchContext.ScratchFile"/>
    public static string ScratchFile<TSide>(this BenchContext context, string name)
        where TSide : struct, IStreamSide<TSide> => context.ScratchFile($"{TSide.Name.Trim('.')[..NameLength]}-{name}");
}
