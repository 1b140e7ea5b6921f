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
        WriteZeros(Range, Range);
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.FinishCopyAsync(_source, _target, End()));
        error.Failures.Single().Error.Message.ShouldContain($"at byte {Range} what was written is not there");
        (await SluiceFile.CopyAsync(_source, _target, Part(0, 1))).Bytes.ShouldBe(Range);
        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
    }

    /// <summary>Also where the end does not look.</summary>
    [SkippableFact]
    public async Task The_mark_of_a_range_that_is_found_wrong_is_taken_back()
    {
        byte[] content = WriteSource(3 * Range);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        WriteZeros(Range + 100_000, 10);
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.CopyAsync(_source, _target, Part(0, 1, verifies: true)));
        error.Failures.Single().Error.Message.ShouldContain("SHA-256");
        error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(_source, _target, End()));
        error.Failures.Single().Error.Message.ShouldContain("range 1 of 3 is missing");
        (await SluiceFile.CopyAsync(_source, _target, Part(0, 1, verifies: true))).Bytes.ShouldBe(Range);
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

    private void WriteZeros(int offset, int length)
    {
        using FileStream part = File.OpenWrite(PartFile);
        part.Position = offset;
        part.Write(new byte[length]);
    }
}
