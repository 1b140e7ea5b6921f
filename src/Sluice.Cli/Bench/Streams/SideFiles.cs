namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// Files that one side writes. If both sides used the same file, each would wait for the other side's writeback when it truncates the file.
/// </summary>
internal static class SideFiles
{
    /// <summary>Opening allocates memory for the path, so the names of both sides must have the same length.</summary>
    private const int NameLength = 3;

    /// <inheritdoc cref="BenchContext.ScratchFile"/>
    public static string ScratchFile<TSide>(this BenchContext context, string name)
        where TSide : struct, IStreamSide<TSide> => context.ScratchFile($"{TSide.Name.Trim('.')[..NameLength]}-{name}");
}
