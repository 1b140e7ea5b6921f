using System.Runtime.CompilerServices;

namespace Sluice.Tests;

/// <summary>The public surface is pinned in PublicSurface.txt; SLUICE_REWRITE_SURFACE=1 writes that file anew, for review.</summary>
public sealed class PublicSurfaceTests
{
    [Fact]
    public void Public_surface_is_the_one_that_is_checked_in()
    {
        string[] actual = [.. PublicSurface.Of(typeof(SluiceHandle).Assembly)];
        string path = PinnedPath();
        if (Environment.GetEnvironmentVariable("SLUICE_REWRITE_SURFACE") == "1")
        {
            File.WriteAllText(path, string.Join('\n', actual) + "\n");
        }

        string[] pinned = [.. File.ReadAllText(path).Split('\n', StringSplitOptions.RemoveEmptyEntries)];
        string[] difference = [.. pinned.Except(actual).Select(l => "- " + l), .. actual.Except(pinned).Select(l => "+ " + l)];
        Assert.True(
            difference.Length == 0,
            "The public surface has changed (- gone, + new):\n" + string.Join('\n', difference)
            + "\nIf that is meant, run this test with SLUICE_REWRITE_SURFACE=1 and commit PublicSurface.txt.");
        actual.ShouldBe(pinned);
    }

    private static string PinnedPath([CallerFilePath] string source = "") => Path.Combine(Path.GetDirectoryName(source)!, "PublicSurface.txt");
}
