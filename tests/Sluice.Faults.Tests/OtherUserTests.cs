using Shouldly;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>What copies and replacements do for a user who may not do everything, run as one; and on a file that is mounted.</summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class OtherUserTests : FaultTests
{
    public OtherUserTests() => Command.Run("chmod", "755", Root);

    [SkippableFact]
    public async Task A_folder_that_may_not_be_listed_is_written_to_and_flushed()
    {
        string folder = NewFolder("300");
        string path = Path.Combine(folder, "file");
        await File.WriteAllTextAsync(path, "old");
        Command.Run("chown", "65534:65534", path);
        (await AsNobodyAsync("replace", path)).ShouldBe("done");
        (await File.ReadAllTextAsync(path)).ShouldBe("new");
        (await AsNobodyAsync("copy", path, Path.Combine(folder, "copy"))).ShouldBe("done");
        (await File.ReadAllTextAsync(Path.Combine(folder, "copy"))).ShouldBe("new");
    }

    [SkippableFact]
    public async Task A_file_that_may_not_be_written_is_not_replaced_though_its_folder_would_allow_it()
    {
        string folder = NewFolder("700");
        string path = Path.Combine(folder, "file");
        await File.WriteAllTextAsync(path, "old");
        Command.Run("chown", "65534:65534", path);
        Command.Run("chmod", "444", path);
        (await AsNobodyAsync("replace", path)).ShouldStartWith(nameof(UnauthorizedAccessException));
        (await AsNobodyAsync("copy", Source("x"), path)).ShouldStartWith(nameof(UnauthorizedAccessException));
        (await File.ReadAllTextAsync(path)).ShouldBe("old");
        Directory.GetFileSystemEntries(folder).ShouldBe([path]);
    }

    [SkippableFact]
    public async Task What_cannot_be_kept_takes_with_it_the_rights_that_went_with_it()
    {
        string source = Directory.CreateDirectory(Path.Combine(Root, "source")).FullName;
        string program = Path.Combine(source, "program");
        await File.WriteAllTextAsync(program, "x");
        Command.Run("chown", "12345:12345", program);
        Command.Run("chmod", "6755", program);
        string secret = Path.Combine(source, "for the group");
        await File.WriteAllTextAsync(secret, "x");
        Command.Run("chown", "65534:12345", secret);
        Command.Run("chmod", "640", secret);
        Command.Run("chmod", "3777", source);
        string copy = Path.Combine(NewFolder("700"), "copy");
        (await AsNobodyAsync("copy", source, copy)).ShouldBe("done");

        // The owner could not be given: no set-user-ID; the group neither: what it might do was for another one. The sticky bit stays.
        Modes(copy).ShouldBe(["1777 65534 65534", "600 65534 65534", "755 65534 65534"]);

        string[] Modes(string at) =>
            [Command.Run("stat", "-c", "%a %u %g", at), Command.Run("stat", "-c", "%a %u %g", Path.Combine(at, "for the group")),
                Command.Run("stat", "-c", "%a %u %g", Path.Combine(at, "program"))];
    }

    [SkippableFact]
    public async Task A_file_that_is_mounted_by_itself_says_what_to_do()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "mounting needs root on Linux");
        string path = Source("mounted");
        string point = Source("below");
        string? refusal = Command.TryRun("mount", "--bind", path, point);
        Skip.If(refusal is not null, refusal);
        try
        {
            string folder = Path.GetDirectoryName(point)!;
            int before = Directory.GetFileSystemEntries(folder).Length;
            CopyOptions options = new() { Overwrite = true };
            (await Should.ThrowAsync<IOException>(() =>
                SluiceFile.ReplaceAtomicallyAsync(point, "new"))).Message.ShouldContain("mount point");
            (await Should.ThrowAsync<IOException>(() =>
                SluiceFile.CopyAsync(Source("x"), point, options))).Message.ShouldContain("mount point");
            (await File.ReadAllTextAsync(path)).ShouldBe("mounted");
            Directory.GetFileSystemEntries(folder).Length.ShouldBe(before + 1);
        }
        finally
        {
            Command.Run("umount", point);
        }
    }

    private static Task<string> AsNobodyAsync(params string[] arguments) => ChildProcess.OnceAsync(OtherUser.OrSkip(), arguments);

    private string NewFolder(string mode)
    {
        string folder = Directory.CreateDirectory(Path.Combine(Root, $"{Guid.NewGuid():N}")).FullName;
        Command.Run("chmod", mode, folder);
        _ = Command.TryRun("chown", "65534:65534", folder);
        return folder;
    }

    private string Source(string content)
    {
        string path = Path.Combine(Root, $"{Guid.NewGuid():N}");
        File.WriteAllText(path, content);
        return path;
    }
}
