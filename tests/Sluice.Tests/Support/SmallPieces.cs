namespace Sluice.Tests.Support;

/// <summary>Debug builds of the library move bytes in small pieces, so that a file of a few megabytes meets every border.</summary>
internal static class SmallPieces
{
    public static void OrSkip()
    {
#if !DEBUG
        Skip.If(condition: true, "the pieces of Release builds are longer than this file; run with -c Debug");
#endif
    }
}
