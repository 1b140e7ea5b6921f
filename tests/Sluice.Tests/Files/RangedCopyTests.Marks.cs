namespace Sluice.Tests.Files;

/// <summary>A mark says that the bytes of a range are on the disk; it may be wrong, or of a file that is gone.</summary>
public sealed partial class RangedCopyTests
{
    /// <summary>After a loss of power, or on a file system that keeps a file on the machine that wrote it last.</summary>
    [SkippableFact]
    public async Task Marks_of_bytes_that_are_not_there_are_taken_back()
    {
        byte[] content = WriteSource(3 * Range);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        using (FileStream part = File.OpenWrite(PartFile))
        {
            part.Position = Range;
            part.Write(new byte[Range]);
        }

        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.CopyAsync(_source, _target, Part(0, 1, verifies: true)));
        error.Failures.Single().Error.Message.ShouldContain("SHA-256");
        error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.FinishCopyAsync(_source, _target, End()));
        error.Failures.Single().Error.Message.ShouldContain($"at byte {Range} what was written is not there");
        (await SluiceFile.CopyAsync(_source, _target, Part(0, 1))).Bytes.ShouldBe(Range);
        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
    }

    /// <summary>Whatever somebody has begun to remove: marks are those of one file, and no other's.</summary>
    [SkippableFact]
    public async Task Marks_without_their_file_mark_nothing()
    {
        byte[] content = WriteSource(3 * Range);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        File.Delete(PartFile);
        (await SluiceFile.CopyAsync(_source, _target, Part(0, 1))).Bytes.ShouldBe(3 * Range);
        string part = PartFile;
        Native.MakeFifo(Path.Combine(PartName, $"{new string('0', 16)}{Path.GetFileName(part)[16..]}"));
        File.Delete(part);
        (await SluiceFile.CopyAsync(_source, _target, Part(0, 1))).Bytes.ShouldBe(3 * Range);
        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
        Leftovers().ShouldBeEmpty();
    }
}
