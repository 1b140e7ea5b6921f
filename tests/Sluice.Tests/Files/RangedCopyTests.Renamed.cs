using Sluice.Copying;
using Sluice.Copying.Ranges;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Tests.Files;

/// <summary>
/// Whoever owns the folder of the copy, and not what is in it, may give another folder of the copying user the name that shards look for.
/// </summary>
public sealed partial class RangedCopyTests
{
    [SkippableFact]
    public async Task A_folder_of_ours_that_was_given_the_name_is_left_alone()
    {
        byte[] content = WriteSource(2 * Range);
        Directory.CreateDirectory(_target);
        string name = PartNameOf(SourceFile, TargetFile);
        string inside = Path.Combine(MakePrivate(name), "a file of ours");
        File.WriteAllText(inside, "inside");
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.CopyAsync(_source, _target, Part(0, 1)));
        error.Failures.Single().Error.ShouldBeOfType<UnauthorizedAccessException>().Message.ShouldContain(name);
        await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(_source, _target, End()));
        File.ReadAllText(inside).ShouldBe("inside");

        // Nor is it a leftover of another version.
        string other = Path.Combine(_target, ".large.0123456789abcdef.sluice-part");
        Directory.Move(name, other);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
        File.ReadAllText(Path.Combine(other, "a file of ours")).ShouldBe("inside");
    }

    /// <summary>Of one length, with the same marks, and the same wherever the end looks.</summary>
    [SkippableFact]
    public async Task Ranges_of_another_file_are_not_taken_for_ones_of_this()
    {
        byte[] content = new byte[2 * Range];
        content[100_000] = 1;
        File.WriteAllBytes(SourceFile, content);
        string otherSource = Path.Combine(_source, "other");
        string otherTarget = Path.Combine(_target, "other");
        byte[] otherContent = new byte[2 * Range];
        otherContent[100_000] = 2;
        File.WriteAllBytes(otherSource, otherContent);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        (string one, string other) = (PartNameOf(SourceFile, TargetFile), PartNameOf(otherSource, otherTarget));
        string aside = _temp.NewPath();
        Directory.Move(one, aside);
        Directory.Move(other, one);
        Directory.Move(aside, other);

        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.FinishCopyAsync(_source, _target, End()));
        error.Failures.Select(f => f.Error.GetType()).ShouldBe(Enumerable.Repeat(typeof(UnauthorizedAccessException), 2));
        File.Exists(TargetFile).ShouldBeFalse();
        File.Exists(otherTarget).ShouldBeFalse();

        Directory.Move(one, aside);
        Directory.Move(other, one);
        Directory.Move(aside, other);
        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
        File.ReadAllBytes(otherTarget).ShouldBeBytes(otherContent);
    }

    /// <summary>Killed between the folder and its mark: it is empty, and is not known for a copy's by anything but its name.</summary>
    [SkippableFact]
    public async Task What_a_kill_left_before_it_had_its_mark_goes_where_it_is_empty()
    {
        WriteSource(2 * Range);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        string left = MakePrivate(Path.Combine(_target, ".large.0123456789abcdef.sluice-tmp"));
        string full = MakePrivate(Path.Combine(_target, ".large.0123456789abcde0.sluice-tmp"));
        File.WriteAllText(Path.Combine(full, "a file of ours"), "inside");
        string open = Directory.CreateDirectory(Path.Combine(_target, ".large.0123456789abcde1.sluice-tmp")).FullName;
        File.SetUnixFileMode(open, UnixFileMode.UserRead | UnixFileMode.UserExecute | UnixFileMode.OtherRead);
        await SluiceFile.FinishCopyAsync(_source, _target, End());
        Leftovers().Order().ShouldBe(((string[])[full, open]).Order());
        File.ReadAllText(Path.Combine(full, "a file of ours")).ShouldBe("inside");

        // Nor is one in the way of a tree that may be gone on with.
        string target = _temp.NewPath();
        string reserved = MakePrivate(TemporaryName.Reserved(NodePath.Of(target)).Text);
        await SluiceFile.CopyAsync(_source, target, new CopyOptions { Recurse = true, Resume = true });
        Directory.Exists(reserved).ShouldBeFalse();
    }

    private static string PartNameOf(string source, string target)
    {
        NodeCalls.Stat(NodePath.Of(source), followsLinks: false, StatxMask.BasicStats, out Statx stat).ShouldBe(0);
        return TemporaryName.Part(NodePath.Of(target), SourceVersion.Of(stat, Range)).Text;
    }

    private static string MakePrivate(string path) => Directory.CreateDirectory(
        path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute).FullName;
}
