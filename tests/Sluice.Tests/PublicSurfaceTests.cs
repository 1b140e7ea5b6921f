using System.Reflection;
using System.Runtime.CompilerServices;
using Sluice.Classic;
using Sluice.Extensions.Logging;
using Sluice.Lucene;
using Sluice.Serilog;
using Sluice.Testing;

namespace Sluice.Tests;

/// <summary>
/// The public surface of each package is pinned in a PublicSurface file; SLUICE_REWRITE_SURFACE=1 writes them anew, for review.
/// </summary>
[Trait("Runs", "once")]
public sealed class PublicSurfaceTests
{
    public static TheoryData<Type, string> Packages => new()
    {
        { typeof(SluiceHandle), "PublicSurface.txt" },
        { typeof(FaultyEngine), "PublicSurface.Testing.txt" },
        { typeof(WinFileIO), "PublicSurface.Classic.txt" },
        { typeof(SluiceLoggerProvider), "PublicSurface.Logging.txt" },
        { typeof(SluiceLogSink), "PublicSurface.Serilog.txt" },
        { typeof(SluiceDirectory), "PublicSurface.Lucene.txt" },
    };

    [Theory]
    [MemberData(nameof(Packages))]
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

    /// <summary>
    /// The exceptions: <see cref="SluiceLogOptions"/> has derived types with other defaults, and delegates and configuration set it and the
    /// options of a logging provider.
    /// </summary>
    [Fact]
    public void Options_are_sealed_and_cannot_be_changed_once_they_are_made()
    {
        Type[] options =
        [
            .. Packages.SelectMany(row => ((Type)row[0]).Assembly.GetExportedTypes())
                .Where(t => t.Name.EndsWith("Options", StringComparison.Ordinal)),
        ];
        options.Length.ShouldBeGreaterThan(10);
        options.Where(t => (!t.IsSealed && t != typeof(SluiceLogOptions)) || t.GetFields(BindingFlags.Public | BindingFlags.Instance).Length > 0).ShouldBeEmpty();
        options.Where(t => t.Name != "SluiceLoggerOptions" && !t.IsAssignableTo(typeof(SluiceLogOptions))).SelectMany(t => t.GetProperties(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static))
            .Where(p => p.SetMethod is { IsPublic: true } set
                && !set.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)))
            .Select(p => $"{p.DeclaringType}.{p.Name}").ShouldBeEmpty();
    }

    private static string PinnedPath(string file, [CallerFilePath] string source = "") =>
        Path.Combine(Path.GetDirectoryName(source)!, file);
}
