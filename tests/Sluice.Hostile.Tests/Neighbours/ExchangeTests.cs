using System.Diagnostics;
using System.Globalization;

namespace Sluice.Hostile.Tests.Neighbours;

/// <summary>
/// Another user exchanges folders and files of a tree with links that lead out of it, while root copies out of it and into it: nothing
/// outside is opened or changed, and nothing of it arrives in a copy. HostileNeighbourTests of Sluice.Faults.Tests has planted names and
/// FIFOs. SLUICE_HOSTILE_SECONDS says how long; two by default.
/// </summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class ExchangeTests : HostileTests
{
    private const string Secret = "what stands outside is nobody's to read";
    private const int Pairs = 4;

    private static readonly double Seconds = double.TryParse(
        Environment.GetEnvironmentVariable("SLUICE_HOSTILE_SECONDS"), CultureInfo.InvariantCulture, out double seconds) ? seconds : 2;

    private int _met;
    private int _works;

    [SkippableTheory]
    [InlineData("out of it")]
    [InlineData("into it")]
    [InlineData("replaced in it")]
    public async Task Nothing_outside_is_opened_or_changed(string way)
    {
        string[] nobody = Child.AsNobodyOrSkip();
        Run("chmod", "755", Temp.Root);
        string outside = MakeOutside(Temp.Root);
        string tree = Path.Combine(Temp.Root, "tree");
        string[] names = MakeTree(tree, outside);
        string source = Path.Combine(Temp.Root, "source");
        MakeTree(source, outside);
        Run("chown", "-hR", "65534:65534", tree, tree + "-decoys");
        if (way == "replaced in it")
        {
            // A name that is another's link is followed, as everywhere; not in a sticky folder such as /tmp.
            Run("chown", "root:root", tree);
            Run("chmod", "1777", tree);
        }

        string before = State(outside);
        using OpenWatch watch = new(outside, Path.Combine(outside, "below"));
        using (Child child = new(nobody, [], ["exchange", .. names]))
        {
            (await child.Output.ReadLineAsync()).ShouldBe("ready");

            // A neighbour who has not come yet is waited for.
            Stopwatch time = Stopwatch.StartNew();
            for (; time.Elapsed.TotalSeconds < Seconds || _works < 10 || (_met == 0 && time.Elapsed < Watchdog.Patience); _works++)
            {
                _met += new FileInfo(Path.Combine(tree, "folder-0")).LinkTarget is null ? 0 : 1;
                await Watchdog.EndsAsync(() => WorkAsync(way, source, tree), way);
            }
        }

        watch.Take().ShouldBeEmpty("something outside was opened or changed");
        State(outside).ShouldBe(before);
        _met.ShouldBeGreaterThan(0, "the neighbour was never in the way, and nothing was proved");
    }

    private static string MakeOutside(string root)
    {
        string outside = Directory.CreateDirectory(Path.Combine(root, "outside")).FullName;
        string below = Directory.CreateDirectory(Path.Combine(outside, "below")).FullName;
        foreach (string path in (string[])[Path.Combine(outside, "inside"), Path.Combine(below, "inside"), Path.Combine(outside, "victim")])
        {
            File.WriteAllText(path, Secret);
            Run("chmod", "600", path);
        }

        // Kinds of rights that a mode does not show.
        _ = TryRun("setfacl", "-m", "u:12345:r", Path.Combine(outside, "victim"));
        _ = TryRun("setcap", "cap_net_raw+ep", Path.Combine(below, "inside"));
        return outside;
    }

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

        Run("chmod", "-R", "777", tree, decoys);
        return [.. names];
    }

    /// <summary>Names, types, modes, owners, sizes, times, access lists, attributes and capabilities.</summary>
    private static string State(string folder) =>
        Run("find", folder, "-printf", "%P|%y|%m|%U|%G|%s|%T@|%C@|%n|%l\n") + Run("find", folder, "-type", "f", "-printf", "%P|%A@\n")
        + (TryRun("getfacl", "-R", "-n", "-p", folder) ?? "") + (TryRun("getcap", "-r", folder) ?? "");

    private static string Run(string name, params string[] arguments) =>
        TryRun(name, arguments) ?? throw new InvalidOperationException($"{name} {string.Join(' ', arguments)} failed");

    private static string? TryRun(string name, params string[] arguments)
    {
        try
        {
            ProcessStartInfo start = new(name, arguments) { UseShellExecute = false, RedirectStandardOutput = true };
            start.Environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin";
            using Process process = Process.Start(start)!;
            string output = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0 ? output : null;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null;
        }
    }

    private async Task WorkAsync(string way, string source, string tree)
    {
        CopyOptions options = new() { Recurse = true, Overwrite = true, PreserveMetadata = true, ContinueOnError = true };
        try
        {
            switch (way)
            {
                case "out of it":
                    string target = Path.Combine(Temp.Root, $"copy-{_works}");
                    try
                    {
                        await SluiceFile.CopyAsync(tree, target, options);
                    }
                    finally
                    {
                        NothingSecret(target);
                    }

                    break;
                case "into it":
                    await SluiceFile.CopyAsync(source, tree, options);
                    break;
                default:
                    await SluiceFile.ReplaceAtomicallyAsync(Path.Combine(tree, $"file-{_works % Pairs}"), "new");
                    break;
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // Refused: the other one was in the way.
        }
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
}
