using System.Runtime.Versioning;
using static Sluice.Tests.Support.Trees;

namespace Sluice.Tests.Files;

/// <summary>
/// Copies that are made again: on from what one with other options left, over the copy itself.
/// </summary>
[UnsupportedOSPlatform("windows")]
public sealed class CopyAgainTests : IDisposable
{
    private const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>By then it has the source's permissions, which a file under a name that can be foreseen must not have.</summary>
    [SkippableFact]
    public async Task A_copy_that_was_cancelled_at_its_last_byte_is_gone_on_from()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "temporary files are kept on Linux");
        byte[] content = Bytes.Pattern(60_000);
        string source = _temp.NewFile(content);
        File.SetUnixFileMode(source, Owner | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
        string target = _temp.NewPath();
        using CancellationTokenSource cancelled = new();
        CopyOptions options = new()
        {
            Resume = true,
            Verify = true,
            Method = CopyMethod.Buffered,
            Progress = new Telling(told =>
            {
                if (told.Bytes == content.Length)
                {
                    cancelled.Cancel();
                }
            }),
        };
        await Should.ThrowAsync<OperationCanceledException>(() => SluiceFile.CopyAsync(source, target, options, cancelled.Token));
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Resume = true });
        result.ResumedBytes.ShouldBe(content.Length);
        File.ReadAllBytes(target).ShouldBeBytes(content);
        File.GetUnixFileMode(target).ShouldBe(File.GetUnixFileMode(source));
        Directory.GetFileSystemEntries(_temp.Root).Length.ShouldBe(2);
    }

    /// <summary>As of two sources of one command, of which the second comes after the first.</summary>
    [SkippableFact]
    public async Task What_was_copied_under_a_temporary_name_is_not_gone_on_in_by_the_copy_of_its_neighbour()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "what is left of a copy is found again on Linux");
        string from = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string to = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string[] names = [".file.sluice-tmp", "file"];
        Array.ForEach(names, name => File.WriteAllText(Path.Combine(from, name), $"this is {name}"));
        foreach (string name in names)
        {
            _ = await SluiceFile.CopyAsync(Path.Combine(from, name), Path.Combine(to, name), new CopyOptions { Resume = true });
        }

        Hashes(to).ShouldBe(Hashes(from));
    }

    [SkippableFact]
    public async Task A_file_that_an_earlier_copy_left_has_the_mode_that_this_one_asks_for()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "temporary files are kept on Linux");
        const UnixFileMode asked = Owner | UnixFileMode.GroupRead;
        string source = _temp.NewFile(Bytes.Pattern(100_000));
        string target = _temp.NewPath();
        string left = Temporary(target);
        File.WriteAllBytes(left, Bytes.Pattern(100_000));
        File.SetUnixFileMode(left, Owner);
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Resume = true, UnixCreateMode = asked });
        result.ResumedBytes.ShouldBe(100_000);
        string fresh = _temp.NewPath();
        _ = await SluiceFile.CopyAsync(source, fresh, new CopyOptions { UnixCreateMode = asked });
        File.GetUnixFileMode(target).ShouldBe(File.GetUnixFileMode(fresh));
    }

    [SkippableFact]
    public async Task Further_names_of_an_unchanged_file_are_left_alone()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "hard links are kept on Linux");
        string source = NewTree();
        Run("ln", Path.Combine(source, "file"), Path.Combine(source, "below", "second name"));
        string target = _temp.NewPath();
        CopyOptions options = new() { Recurse = true, PreserveMetadata = true, SkipUnchanged = true };
        (await SluiceFile.CopyAsync(source, target, options)).Files.ShouldBe(3);
        string[] before = Listing(target, "%P|%i|%n|%C@\n");
        foreach (bool overwrites in (bool[])[false, true])
        {
            CopyOptions again = new() { Recurse = true, PreserveMetadata = true, SkipUnchanged = true, Overwrite = overwrites };
            CopyResult result = await SluiceFile.CopyAsync(source, target, again);
            (result.Files, result.UnchangedFiles, result.Bytes).ShouldBe((0, 3, 0));
        }

        ShouldBeSame(Listing(target, "%P|%i|%n\n"), [.. before.Select(static l => l[..l.LastIndexOf('|')])]);
    }

    [SkippableTheory]
    [InlineData(CopyMethod.Direct)]
    [InlineData(CopyMethod.Buffered)]
    public async Task What_is_there_already_is_counted_once(CopyMethod method)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "temporary files are kept on Linux");
        byte[] content = Bytes.Pattern(100_123);
        string source = _temp.NewFile(content);
        string target = _temp.NewPath();
        File.WriteAllBytes(Temporary(target), content);
        File.SetUnixFileMode(Temporary(target), Owner);
        CopyProgress last = default;
        CopyOptions options = new() { Method = method, Resume = true, Progress = new Telling(report => last = report) };
        Exception? error = await Record.ExceptionAsync(() => SluiceFile.CopyAsync(source, target, options));
        Skip.If(error?.Message.Contains("not possible here", StringComparison.Ordinal) == true, error?.Message);
        error.ShouldBeNull();
        last.ShouldBe(new CopyProgress(content.Length, content.Length, 1, 1));
        File.ReadAllBytes(target).ShouldBeBytes(content);
    }

    [SkippableFact]
    public async Task What_is_copied_is_never_gone_on_from()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "temporary files are kept on Linux");
        string target = _temp.NewPath();
        string source = Temporary(target);
        File.WriteAllBytes(source, Bytes.Pattern(100_000));
        File.SetUnixFileMode(source, Owner);
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Resume = true });
        result.ResumedBytes.ShouldBe(0);
        File.ReadAllBytes(source).ShouldBeBytes(Bytes.Pattern(100_000));
        File.ReadAllBytes(target).ShouldBeBytes(Bytes.Pattern(100_000));
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
        File.WriteAllBytes(Temporary(target), others);
        File.SetUnixFileMode(Temporary(target), Owner);
        Native.Link(Temporary(target), second);
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Resume = true });
        result.ResumedBytes.ShouldBe(0);
        File.ReadAllBytes(target).ShouldBeBytes(content);
        File.ReadAllBytes(second).ShouldBeBytes(others);
    }

    private static string Temporary(string target) =>
        Path.Combine(Path.GetDirectoryName(target)!, $".{Path.GetFileName(target)}.sluice-tmp");

    private string NewTree()
    {
        string source = Directory.CreateDirectory(_temp.NewPath()).FullName;
        string below = Directory.CreateDirectory(Path.Combine(source, "below")).FullName;
        File.WriteAllBytes(Path.Combine(source, "file"), Bytes.Pattern(20_000));
        File.WriteAllBytes(Path.Combine(below, "file"), Bytes.Pattern(3000));
        return source;
    }
}
