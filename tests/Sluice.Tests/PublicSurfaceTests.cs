using System.Reflection;
using System.Runtime.CompilerServices;
using Sluice.Classic;
using Sluice.Extensions.Logging;
using Sluice.Serilog;
using Sluice.Testing;

namespace Sluice.Tests;

/// <summary>
/// The public surface of each package is pinned in a PublicSurface file; SLUICE_REWRITE_SURFACE=1 writes them anew, for review.
/// </summary>
[Trait("Runs", "once")]
public sealed class PublicSurfaceTests
{
    [Theory]
    [InlineData(typeof(SluiceHandle), "PublicSurface.txt")]
    [InlineData(typeof(FaultyEngine), "PublicSurface.Testing.txt")]
    [InlineData(typeof(WinFileIO), "PublicSurface.Classic.txt")]
    [InlineData(typeof(SluiceLoggerProvider), "PublicSurface.Logging.txt")]
    [InlineData(typeof(SluiceLogSink), "PublicSurface.Serilog.txt")]
    public void Public_surface_is_the_one_that_is_checked_in(Type type, string file)
    {
        Assembly assembly = type.Assembly;
        string[] actual = [.. PublicSurface.Of(assembly)];
        string path = PinnedPath(file);
        if (Environment.GetEnvironmentVariable("SLUICE_REWRITE_SURFACE") == "1")
        {
            File.WriteAllText(path, string.Join('\n', actual) + "\n");
        }

        string[] pinned = [.. File.ReadAllText(path).Split('\n', StringSplitOptions.RemoveEmptyEntries)];
        string[] difference = [.. pinned.Except(actual).Select(l => "- " + l), .. actual.Except(pinned).Select(l => "+ " + l)];
        Assert.True(
            difference.Length == 0,
            $"The public surface of {assembly.GetName().Name} has changed (- gone, + new):\n" + string.Join('\n', difference)
            + $"\nIf that is meant, run this test with SLUICE_REWRITE_SURFACE=1 and commit {file}.");
        actual.ShouldBe(pinned);
    }

    [Fact]
    public void Packages_beside_the_library_stand_on_its_public_surface() =>
        typeof(SluiceHandle).Assembly.GetCustomAttributes<InternalsVisibleToAttribute>()
            .Select(a => a.AssemblyName)
            .Except(["Sluice.Cli", "Sluice.Cli.Tests", "Sluice.Tests", "Sluice.Log.Tests", "Sluice.Faults.Tests", "Sluice.Hostile.Tests"])
            .ShouldBeEmpty();

    private static string PinnedPath(string file, [CallerFilePath] string source = "") =>
        Path.Combine(Path.GetDirectoryName(source)!, file);
}
