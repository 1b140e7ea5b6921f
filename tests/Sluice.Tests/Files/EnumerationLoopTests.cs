namespace Sluice.Tests.Files;

/// <summary>Enumerations of folders that lead to themselves.</summary>
/// <remarks>
/// Linux looks a path up again where something is mounted or unmounted meanwhile, anywhere, and counts its links on from where they were:
/// one with more than twenty may be refused although it is right. A look that was disturbed is taken once more.
/// </remarks>
public sealed class EnumerationLoopTests : IDisposable
{
    private const int Looks = 20;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableFact]
    public void Loops_of_links_end_where_they_do_for_Directory()
    {
        Skip.If(OperatingSystem.IsWindows(), "links need a privilege there");
        string root = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string below = Directory.CreateDirectory(Path.Combine(root, "below")).FullName;
        File.WriteAllBytes(Path.Combine(root, "a.txt"), [1]);
        File.WriteAllBytes(Path.Combine(below, "b.txt"), [2]);
        Directory.CreateSymbolicLink(Path.Combine(root, "loop"), root);
        string[] expected = [];
        string[] actual = [];
        for (int i = 0; i < Looks && (expected.Length <= 80 || !actual.SequenceEqual(expected)); i++)
        {
            expected = Sorted(() => Directory.EnumerateFiles(root, "*.txt", SearchOption.AllDirectories));
            actual = Sorted(() => SluiceFile.EnumerateFiles(root, "*.txt", SearchOption.AllDirectories));
        }

        actual.ShouldBe(expected);
        expected.Length.ShouldBeGreaterThan(80, string.Join(", ", expected));
    }

    private static string[] Sorted(Func<IEnumerable<string>> files)
    {
        try
        {
            return [.. files().Order(StringComparer.Ordinal)];
        }
        catch (IOException e)
        {
            return [e.Message];
        }
    }
}
