namespace Sluice.Cli.Bench.Streams;

/// <summary>
/// Names a separate file for each stream type: with a shared file, truncating it would wait for the writeback of the other type's data.
/// </summary>
internal static class SideFiles
{
    /// <summary>
    /// The number of characters of the type's name in a path. It is the same for both types, because opening a file allocates memory for
    /// the path.
    /// </summary>
    private const int NameLength = 3;

    /// <inheritdoc cref="BenchContext.ScratchFile"/>
    public static string ScratchFile<TSide>(this BenchContext context, string name)
        where TSide : struct, IStreamSide => context.ScratchFile($"{TSide.Name.Trim('.')[..NameLength]}-{name}");
}
