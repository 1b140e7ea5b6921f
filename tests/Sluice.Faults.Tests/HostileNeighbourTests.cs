using System.Diagnostics;
using System.Globalization;
using Shouldly;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// Another user puts links, FIFOs and folders in the way of copies and replacements that root makes beside him: nothing outside is changed
/// or opened, and nothing hangs. SLUICE_HOSTILE_SECONDS says how long; a few by default.
/// </summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class HostileNeighbourTests : IDisposable
{
    private const string Long = "content that is longer than what the neighbour writes";

    private const string StateScript = """
        cd "$0" && { find . -printf '%P|%y|%m|%U|%G|%s|%T@|%C@|%n|%l\n'; find . -type f -printf '%P|%A@\n'; } | sort
        """;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    private static readonly int Seconds =
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_HOSTILE_SECONDS"), CultureInfo.InvariantCulture, out int seconds)
            ? seconds : 2;

    private readonly string _root = Directory.CreateTempSubdirectory("sluice-hostile-").FullName;

    public HostileNeighbourTests() => Command.Run("chmod", "755", _root);

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [SkippableTheory]
    [InlineData("planted", "1777")]
    [InlineData("swapped", "777")]
    public async Task Nothing_outside_is_changed_or_opened(string way, string mode)
    {
        string[] nobody = OtherUser.OrSkip();
        string folder = NewFolder("shared", mode);
        string outside = NewFolder("outside", "755");
        string source = NewFolder("source", "755");
        MakeTree(source);
        MakeTree(outside);
        await File.WriteAllTextAsync(Path.Combine(outside, "victim"), "secret");
        Command.Run("chmod", "600", Path.Combine(outside, "victim"));
        Command.Run("find", outside, "-exec", "touch", "-h", "-a", "-d", "2001-01-01", "{}", "+");
        string before = State(outside);
        State(outside).ShouldBe(before, "looking changes it");

        int done = 0;
        int refused = 0;
        using (ChildProcess child = new(null, nobody, ["hostile", way, folder, outside]))
        {
            (await child.Output.ReadLineAsync()).ShouldBe("ready", child.ExitedWithErrors());

            // A neighbour who has not come yet is waited for.
            Stopwatch watch = Stopwatch.StartNew();
            while (watch.Elapsed.TotalSeconds < Seconds || done + refused < 20 || (refused == 0 && watch.Elapsed < Patience))
            {
                foreach (Func<Task> work in Works(source, folder))
                {
                    Exception? error = await Record.ExceptionAsync(() => work().WaitAsync(Patience));
                    (error is null or IOException or UnauthorizedAccessException).ShouldBeTrue($"{error}");
                    (done, refused) = error is null ? (done + 1, refused) : (done, refused + 1);
                }
            }

            child.Kill();
            _ = await child.FinishAsync();
        }

        State(outside).ShouldBe(before, $"{done} done, {refused} refused");
        refused.ShouldBeGreaterThan(0, "the neighbour was never in the way, and nothing was proved");
    }

    private static IEnumerable<Func<Task>> Works(string source, string folder)
    {
        string file = Path.Combine(source, "file-0");
        CopyOptions overwriting = new() { Overwrite = true, PreserveMetadata = true, Resume = true };
        CopyOptions tree = new() { Recurse = true, PreserveMetadata = true, Overwrite = true, ContinueOnError = true };
        yield return () => SluiceFile.ReplaceAtomicallyAsync(Path.Combine(folder, "target"), Long);
        yield return () => SluiceFile.CopyAsync(file, Path.Combine(folder, "copied"), overwriting);
        yield return () => SluiceFile.CopyAsync(source, Path.Combine(folder, "tree"), tree);

        // So that the neighbour has free names again.
        yield return () => Task.Run(() => Command.TryRun("find", folder, "-mindepth", "1", "-delete"));
    }

    /// <summary>
    /// Names, types, modes, owners, sizes, times of writing and of any change, where links lead; of files the time of access.
    /// </summary>
    private static string State(string folder) => Command.Run("sh", "-c", StateScript, folder);

    private static void MakeTree(string folder)
    {
        for (int i = 0; i < 12; i++)
        {
            string below = Directory.CreateDirectory(Path.Combine(folder, $"folder-{i}")).FullName;
            File.WriteAllText(Path.Combine(below, "inside"), Long);
            string file = Path.Combine(folder, $"file-{i}");
            File.WriteAllText(file, Long);
            Command.Run("chmod", i % 2 == 0 ? "4755" : "640", file);
            Command.Run("chown", $"{1000 + i}:{1000 + i}", file);
            Command.Run("mkfifo", "-m", "666", Path.Combine(folder, $"fifo-{i}"));
        }
    }

    private string NewFolder(string name, string mode)
    {
        string folder = Directory.CreateDirectory(Path.Combine(_root, name)).FullName;
        Command.Run("chmod", mode, folder);
        return folder;
    }
}
