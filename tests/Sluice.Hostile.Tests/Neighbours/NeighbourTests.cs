using System.Diagnostics;
using System.Globalization;

namespace Sluice.Hostile.Tests.Neighbours;

/// <summary>
/// Another user exchanges folders and files of a tree with links that lead out of it, or puts links, FIFOs and folders under the names that
/// are used, while root copies out of it and into it: nothing outside is opened or changed, nothing of it arrives in a copy, and nothing
/// hangs. SLUICE_HOSTILE_SECONDS says how long; two by default.
/// </summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class NeighbourTests : HostileTests
{
    private const string Secret = "what stands outside is nobody's to read";
    private const string New = "content that is longer than what the neighbour writes";
    private const int Pairs = 4;

    private static readonly double Seconds = double.TryParse(
        Environment.GetEnvironmentVariable("SLUICE_HOSTILE_SECONDS"), CultureInfo.InvariantCulture, out double seconds) ? seconds : 2;

    private static readonly CopyOptions Tree =
        new() { Recurse = true, Overwrite = true, PreserveMetadata = true, ContinueOnError = true };

    private int _works;
    private int _refused;

    [SkippableTheory]
    [InlineData("out of it")]
    [InlineData("into it")]
    [InlineData("replaced in it")]
    public async Task Nothing_outside_is_opened_or_changed_by_way_of_an_exchanged_name(string way)
    {
        string[] nobody = OtherUser.OrSkip();
        string outside = MakeOutside();
        string tree = Path.Combine(Temp.Root, "tree");
        string[] names = MakeTree(tree, outside);
        string source = Path.Combine(Temp.Root, "source");
        MakeTree(source, outside);
        Command.Run("chown", "-hR", "65534:65534", tree, tree + "-decoys");
        if (way == "replaced in it")
        {
            // A name that is another's link is followed, as everywhere; not in a sticky folder such as /tmp.
            Command.Run("chown", "root:root", tree);
            Command.Run("chmod", "1777", tree);
        }

        int met = 0;
        await BesideAsync(outside, nobody, ["exchange", .. names], () => met > 0, async () =>
        {
            met += new FileInfo(Path.Combine(tree, "folder-0")).LinkTarget is null ? 0 : 1;
            switch (way)
            {
                case "out of it":
                    string target = Path.Combine(Temp.Root, $"copy-{_works}");
                    await TryAsync(() => SluiceFile.CopyAsync(tree, target, Tree));
                    NothingSecret(target);
                    break;
                case "into it":
                    await TryAsync(() => SluiceFile.CopyAsync(source, tree, Tree));
                    break;
                default:
                    await TryAsync(() => SluiceFile.ReplaceAtomicallyAsync(Path.Combine(tree, $"file-{_works % Pairs}"), "new"));
                    break;
            }
        });
    }

    /// <summary>A neighbour plants files under names that are used or, in a folder without the sticky bit, replaces temporary files.</summary>
    [SkippableTheory]
    [InlineData("planted", "1777")]
    [InlineData("swapped", "777")]
    public async Task Nothing_outside_is_opened_or_changed_by_way_of_a_planted_name(string way, string mode)
    {
        string[] nobody = OtherUser.OrSkip();
        string outside = MakeOutside();
        string source = Path.Combine(Temp.Root, "source");
        MakeTree(source, outside);
        string folder = Directory.CreateDirectory(Temp.NewPath()).FullName;
        Command.Run("chmod", mode, folder);
        CopyOptions overwriting = new() { Overwrite = true, PreserveMetadata = true, Resume = true };
        await BesideAsync(outside, nobody, [way, folder, outside], () => _refused > 0, async () =>
        {
            await TryAsync(() => SluiceFile.ReplaceAtomicallyAsync(Path.Combine(folder, "target"), New));
            await TryAsync(() => SluiceFile.CopyAsync(Path.Combine(source, "file-0"), Path.Combine(folder, "copied"), overwriting));
            await TryAsync(() => SluiceFile.CopyAsync(source, Path.Combine(folder, "tree"), Tree));

            // So that the neighbour has free names again.
            _ = Command.TryRun("find", folder, "-mindepth", "1", "-delete");
        });
    }

    /// <summary>Names, types, modes, owners, sizes, times, access lists, attributes and capabilities.</summary>
    private static string State(string folder) =>
        Command.Run("find", folder, "-printf", "%P|%y|%m|%U|%G|%s|%T@|%C@|%n|%l\n")
        + Command.Run("find", folder, "-type", "f", "-printf", "%P|%A@\n")
        + RunIfThere("getfacl", "-R", "-n", "-p", folder) + RunIfThere("getcap", "-r", folder);

    private static string RunIfThere(string name, params string[] arguments) => Command.Exists(name) ? Command.Run(name, arguments) : "";

    /// <summary>A tree, and beside it what is to be exchanged with its parts: the names, in pairs.</summary>
    private static string[] MakeTree(string tree, string outside)
    {
        string decoys = Directory.CreateDirectory(tree + "-decoys").FullName;
        _ = Directory.CreateDirectory(tree);
        List<string> names = [];
        for (int i = 0; i < Pairs; i++)
        {
            string folder = Path.Combine(tree, $"folder-{i}");
            _ = Directory.CreateDirectory(folder);
            File.WriteAllText(Path.Combine(folder, "inside"), "harmless");
            File.CreateSymbolicLink(Path.Combine(decoys, $"folder-{i}"), i % 2 == 0 ? outside : Path.Combine(outside, "below"));
            string file = Path.Combine(tree, $"file-{i}");
            File.WriteAllText(file, "harmless");
            File.CreateSymbolicLink(Path.Combine(decoys, $"file-{i}"), Path.Combine(outside, "victim"));
            names.AddRange([folder, Path.Combine(decoys, $"folder-{i}"), file, Path.Combine(decoys, $"file-{i}")]);
        }

        Command.Run("chmod", "-R", "777", tree, decoys);
        return [.. names];
    }

    private static void NothingSecret(string folder)
    {
        if (!Directory.Exists(folder))
        {
            return;
        }

        EnumerationOptions options = new() { RecurseSubdirectories = true, AttributesToSkip = FileAttributes.ReparsePoint };
        foreach (string file in Directory.GetFiles(folder, "*", options))
        {
            File.ReadAllText(file).ShouldBe("harmless", file);
        }

        Directory.Delete(folder, recursive: true);
    }

    private string MakeOutside()
    {
        Command.Run("chmod", "755", Temp.Root);
        string outside = Directory.CreateDirectory(Path.Combine(Temp.Root, "outside")).FullName;
        string below = Directory.CreateDirectory(Path.Combine(outside, "below")).FullName;
        foreach (string path in (string[])[Path.Combine(outside, "inside"), Path.Combine(below, "inside"), Path.Combine(outside, "victim")])
        {
            File.WriteAllText(path, Secret);
            Command.Run("chmod", "600", path);
        }

        // Kinds of rights that a mode does not show.
        _ = Command.Exists("setfacl") ? Command.TryRun("setfacl", "-m", "u:12345:r", Path.Combine(outside, "victim")) : null;
        _ = Command.Exists("setcap") ? Command.TryRun("setcap", "cap_net_raw+ep", Path.Combine(below, "inside")) : null;
        return outside;
    }

    /// <summary>Works again and again beside a neighbour, and until he was in the way.</summary>
    private async Task BesideAsync(string outside, string[] nobody, string[] neighbour, Func<bool> wasInTheWay, Func<Task> work)
    {
        string before = State(outside);
        using OpenWatch watch = new(outside, Path.Combine(outside, "below"));
        using (ChildProcess child = new(null, nobody, neighbour))
        {
            (await child.Output.ReadLineAsync()).ShouldBe("ready");
            Stopwatch time = Stopwatch.StartNew();
            for (; time.Elapsed.TotalSeconds < Seconds || _works < 10 || (!wasInTheWay() && time.Elapsed < Watchdog.Patience); _works++)
            {
                await Watchdog.EndsAsync(work, $"work {_works}");
            }
        }

        watch.Take().ShouldBeEmpty("something outside was opened or changed");
        State(outside).ShouldBe(before);
        wasInTheWay().ShouldBeTrue("the neighbour was never in the way, and nothing was proved");
    }

    /// <summary>Counts what is refused since the other one was in the way.</summary>
    private async Task TryAsync(Func<Task> work)
    {
        try
        {
            await work();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            _refused++;
        }
    }
}
