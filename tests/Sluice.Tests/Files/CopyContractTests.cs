using System.Runtime.Versioning;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>The state after a copy: bytes and permissions, of a new copy and of one that is resumed.</summary>
[UnsupportedOSPlatform("windows")]
public sealed class CopyContractTests : IDisposable
{
    private const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private const UnixFileMode Everybody = Owner | UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.OtherRead
        | UnixFileMode.OtherWrite;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>Files of /proc have bytes and a length of 0.</summary>
    [SkippableFact]
    public async Task Files_without_a_length_are_copied_to_their_end_in_a_tree()
    {
        const string source = "/proc/sys/fs/inotify";
        Skip.IfNot(Directory.Exists(source), "there is no such folder of /proc");
        string target = _temp.NewPath();
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Recurse = true });
        string[] names = [.. Directory.GetFiles(source).Select(static f => Path.GetFileName(f))];
        (result.Files, result.Bytes).ShouldBe((names.Length, names.Sum(name => new FileInfo(Path.Combine(target, name)).Length)));
        foreach (string name in names)
        {
            File.ReadAllText(Path.Combine(target, name)).ShouldBe(File.ReadAllText(Path.Combine(source, name)), name);
        }
    }

    /// <summary>Its bytes are another file's too, under a name that is not the copy's.</summary>
    [SkippableFact]
    public async Task A_leftover_with_a_second_name_is_not_written_to()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "copies are resumed on Linux");
        byte[] content = Bytes.Pattern(100_000);
        byte[] others = Bytes.Pattern(90_000, 7);
        string source = _temp.NewFile(content);
        string target = _temp.NewPath();
        string second = _temp.NewPath();
        _ = Run("ln", NewLeftover(target, others), second);
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Resume = true });
        result.ResumedBytes.ShouldBe(0);
        File.ReadAllBytes(target).ShouldBeBytes(content);
        File.ReadAllBytes(second).ShouldBeBytes(others);
    }

    /// <summary>What an interrupted copy leaves of a file.</summary>
    private static string NewLeftover(string target, byte[] content)
    {
        string left = Temporary(target);
        File.WriteAllBytes(left, content);
        File.SetUnixFileMode(left, Owner);
        return left;
    }

    private static string Temporary(string target) =>
        Path.Combine(Path.GetDirectoryName(target)!, $".{Path.GetFileName(target)}.sluice-tmp");
}
