namespace Sluice.Hostile.Tests.Neighbours;

/// <summary>
/// A neighbour who puts links, FIFOs, folders and files in the way of others, as fast as he can, until he is killed: where he may only add
/// names (a sticky folder), under those that are used; else in place of whatever has a temporary name, or stands in the tree.
/// </summary>
internal static class Planting
{
    public static int Run(string folder, string outside, bool isSticky)
    {
        Console.WriteLine("ready");
        Random random = new(20_261_122);
        string victim = Path.Combine(outside, "victim");
        while (true)
        {
            foreach (string name in isSticky ? Planted(folder) : Swapped(folder))
            {
                try
                {
                    Put(name, random, victim, outside);
                }
                catch (Exception e) when (e is IOException or UnauthorizedAccessException)
                {
                    // Somebody else was quicker, or it may not be done.
                }
            }
        }
    }

    private static IEnumerable<string> Planted(string folder) =>
    [
        Path.Combine(folder, "target"), Path.Combine(folder, "copied"), Path.Combine(folder, "tree"),
        Path.Combine(folder, ".target.sluice-tmp"), Path.Combine(folder, ".copied.sluice-tmp"), Path.Combine(folder, ".tree.sluice-tmp"),
    ];

    private static IEnumerable<string> Swapped(string folder)
    {
        try
        {
            string tree = Path.Combine(folder, "tree");
            return
            [
                .. Directory.GetFileSystemEntries(folder, ".*.sluice-tmp"),
                .. Directory.Exists(tree) && new DirectoryInfo(tree).LinkTarget is null ? Directory.GetFileSystemEntries(tree) : [],
            ];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    private static void Put(string name, Random random, string victim, string outside)
    {
        string aside = $"{name}.{Environment.ProcessId}";
        if (Directory.Exists(name) && new DirectoryInfo(name).LinkTarget is null)
        {
            Directory.Move(name, aside);
        }
        else
        {
            File.Delete(name);
        }

        switch (random.Next(5))
        {
            case 0:
                File.CreateSymbolicLink(name, victim);
                break;
            case 1:
                Directory.CreateSymbolicLink(name, outside);
                break;
            case 2:
                Native.MakeFifo(name);
                break;
            case 3:
                _ = Directory.CreateDirectory(name);
                break;
            default:
                File.WriteAllText(name, "planted");
                break;
        }
    }
}
