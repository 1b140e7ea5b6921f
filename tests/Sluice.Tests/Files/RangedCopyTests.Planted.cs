using Sluice.Copying;
using Sluice.Copying.Ranges;
using Sluice.Enumeration;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Tests.Files;

/// <summary>
/// Whoever may write beside a file of the source knows the name under which shards write its copy, and what the names in there look like.
/// </summary>
public sealed partial class RangedCopyTests
{
    [SkippableTheory]
    [InlineData("folder")]
    [InlineData("capitals")]
    [InlineData("file")]
    public async Task What_the_source_has_under_the_name_fails_alone(string kind)
    {
        byte[] content = WriteSource(2 * Range);
        string name = Path.GetFileName(PartNameOf(SourceFile, TargetFile));
        string planted = Path.Combine(_source, kind == "capitals" ? name.ToUpperInvariant() : name);
        if (kind == "file")
        {
            File.WriteAllText(planted, "");
        }
        else
        {
            MakePrivate(planted);
            WriteFileAndMarks(planted, new string('0', 16) + PartNames.DigitsOf(NodePath.Of(Path.Combine(_target, name))));
        }

        List<FileFailure> failures = [];
        foreach (int index in (int[])[0, 1, 0, 1])
        {
            if (await Record.ExceptionAsync(() => SluiceFile.CopyAsync(_source, _target, Part(index, 2))) is { } error)
            {
                failures.AddRange(error.ShouldBeOfType<FileBatchException>().Failures);
            }
        }

        // One of the shards says so, in each of its runs.
        failures.Select(f => f.Path).ShouldBe([planted, planted]);
        Directory.EnumerateFileSystemEntries(_target).ShouldBe([PartName]);
        Directory.EnumerateFiles(PartName, "000*").ShouldBeEmpty();

        // The end says so too, and that it is nobody else's failure.
        FileBatchException last = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(_source, _target, End()));
        last.Failures.Single().Path.ShouldBe(planted);
        last.FilesCompleted.ShouldBe(1);
        Directory.EnumerateFileSystemEntries(_target).ShouldBe([TargetFile]);
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
        CopyOptions without = new() { SplitBytes = Range, Exclude = n => n != "large" };
        await SluiceFile.FinishCopyAsync(_source, _target, without);

        // Where nothing is divided it is an entry like any other.
        string whole = _temp.NewPath();
        await SluiceFile.CopyAsync(_source, whole, new CopyOptions { Recurse = true, Shard = new Shard(0, 1), SplitBytes = 0 });
        Path.Exists(Path.Combine(whole, Path.GetFileName(planted))).ShouldBeTrue();
    }

    [SkippableFact]
    public async Task Of_two_files_in_the_folder_neither_is_believed()
    {
        byte[] content = WriteSource(2 * Range);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        (string folder, string other) = (PartName, $"{new string('0', 16)}{Path.GetFileNameWithoutExtension(PartFile)[16..]}");
        WriteFileAndMarks(folder, other);
        Func<Task<CopyResult>>[] runs =
            [() => SluiceFile.CopyAsync(_source, _target, Part(0, 1)), () => SluiceFile.FinishCopyAsync(_source, _target, End())];
        foreach (Func<Task<CopyResult>> run in runs)
        {
            FileBatchException error = await Should.ThrowAsync<FileBatchException>(run);
            error.Failures.Single().Error.ShouldBeOfType<UnauthorizedAccessException>().Message.ShouldContain(folder);
            Directory.EnumerateFiles(folder).Count().ShouldBe(6);
            File.Exists(TargetFile).ShouldBeFalse();
        }

        foreach (string path in Directory.EnumerateFiles(folder, $"{other}.*"))
        {
            File.Delete(path);
        }

        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
    }

    /// <summary>The end looks at all files before it names one; in between another one may be put in a file's place.</summary>
    [SkippableFact]
    public async Task What_is_gone_by_the_time_of_the_name_is_seen_then()
    {
        WriteSource(2 * Range);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        using CancellationTokenSource stop = new();
        CopyMeter meter = new(null);
        CopyFailures failures = new(continues: true, meter, stop, static () => new CopyResult());
        DividedFiles divided = new(End().ToFinish(), meter, failures, stop.Token);
        using TreeRoot from = RootOf(_source);
        using TreeRoot to = RootOf(_target);
        TreeFolder folder = new(
            TreePath.Root, DirectoryReader.Of(from.Open(TreePath.Root)), to.Open(TreePath.Root), _source, _target);
        byte[] name = [.. "large\0"u8];
        NodePath file = folder.From(name);
        NodeCalls.Stat(file, followsLinks: false, StatxMask.BasicStats, out Statx stat).ShouldBe(0);
        divided.Find(folder, file, stat, folder.To(name)).ShouldBeTrue();
        folder.Release();
        using (FileStream part = File.OpenWrite(PartFile))
        {
            part.Position = Range;
            part.Write(new byte[Range]);
        }

        divided.Name(from, to);
        failures.Found().ShouldNotBeNull().Failures.Single().Error.Message
            .ShouldContain($"at byte {Range} what was written is not there");
        File.Exists(TargetFile).ShouldBeFalse();

        static TreeRoot RootOf(string path) => new(PathCalls.Open(NodePath.Of(path), TreeRoot.FolderFlags), path);
    }

    /// <summary>As shards would have left them: a file of the right length, without the bytes, and a mark for each of its ranges.</summary>
    private static void WriteFileAndMarks(string folder, string id)
    {
        File.WriteAllBytes(Path.Combine(folder, $"{id}.part"), new byte[2 * Range]);
        File.WriteAllText(Path.Combine(folder, $"{id}.0"), "");
        File.WriteAllText(Path.Combine(folder, $"{id}.1"), "");
    }
}
