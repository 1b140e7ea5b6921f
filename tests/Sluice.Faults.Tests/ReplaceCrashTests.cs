using System.Globalization;
using Shouldly;
using Sluice.Faults.Child.Commands;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>ReplaceAtomicallyAsync, killed or without power at a random moment: the old content or the new one, whole.</summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class ReplaceCrashTests
{
    [LinuxTheory]
    [InlineData(FileSystemKind.Local)]
    [InlineData(FileSystemKind.Xfs)]
    public async Task A_killed_replacement_leaves_a_whole_version(FileSystemKind kind)
    {
        using Mount mount = Mount.OrSkip(kind);
        string folder = Directory.CreateDirectory(Path.Combine(mount.Folder, "kept")).FullName;
        string path = Path.Combine(folder, "target");
        await File.WriteAllBytesAsync(path, ReplaceCommand.Make(0));
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead);
        int present = 0;
        await Kills.RunAsync(20_261_121 + (int)kind, 4, _ =>
            new ChildProcess(null, "replace", path, $"{present + 1}"), async (kill, first, rest) =>
        {
            int acknowledged = int.Parse(first, CultureInfo.InvariantCulture);
            foreach (string line in rest)
            {
                // The last line may have been cut by the kill; what was acknowledged is never older than this.
                acknowledged = int.TryParse(line, CultureInfo.InvariantCulture, out int later) && later <= acknowledged + 1 ? later
                    : acknowledged;
            }

            int? version = ReplaceCommand.VersionOf(await File.ReadAllBytesAsync(path));
            version.ShouldNotBeNull($"after kill {kill}");
            version.Value.ShouldBeInRange(acknowledged, acknowledged + 1, $"after kill {kill}");
            present = version.Value;
            return rest is [.., "next"];
        });
        File.GetUnixFileMode(path).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead);

        // At the moment of the replacement the new file has a name of its own.
        Directory.GetFileSystemEntries(folder).ShouldAllBe(
            p => p == path || (Path.GetFileName(p).StartsWith(".target.", StringComparison.Ordinal) && p.EndsWith(".sluice-tmp")));
    }
}
