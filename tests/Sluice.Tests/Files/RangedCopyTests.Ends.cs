namespace Sluice.Tests.Files;

/// <summary>Ends of a copy in ranges beside what shards left of another version, or of ranges of another length.</summary>
public sealed partial class RangedCopyTests
{
    /// <summary>The end gives divided files their names first, and may fail behind that: it is run again, and has to find them.</summary>
    [SkippableFact]
    public async Task An_end_that_makes_anew_and_failed_behind_the_names_can_be_run_again()
    {
        WriteSource(3 * Range);
        string two = Path.Combine(_source, "two");
        File.WriteAllText(two, "of two names");
        Native.Link(two, Path.Combine(_source, "names"));
        await SluiceFile.CopyAsync(_source, _target, Anew(0));
        byte[] content = WriteSource(3 * Range, start: 99);
        await SluiceFile.CopyAsync(_source, _target, Anew(0));
        await SluiceFile.CopyAsync(_source, _target, Anew(1));
        string inTheWay = Directory.CreateDirectory(Path.Combine(_target, "two")).FullName;
        CopyOptions end = new() { SplitBytes = Range, PreserveMetadata = true, ContinueOnError = true, Overwrite = true };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(() => SluiceFile.FinishCopyAsync(_source, _target, end));
        error.Failures.Single().Path.ShouldBe(two);
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
        Leftovers().ShouldNotBeEmpty();

        Directory.Delete(inTheWay);
        await SluiceFile.FinishCopyAsync(_source, _target, end);
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
        Leftovers().ShouldBeEmpty();

        static CopyOptions Anew(int index) => new()
        {
            Recurse = true,
            Shard = new Shard(index, 2),
            SplitBytes = Range,
            PreserveMetadata = true,
            Overwrite = true,
        };
    }

    /// <summary>The name of what shards write says only that it is of something else: the message names all that it may be.</summary>
    [SkippableFact]
    public async Task An_end_with_ranges_of_another_length_does_not_say_that_the_source_was_written()
    {
        byte[] content = WriteSource(4 * Range);
        await SluiceFile.CopyAsync(_source, _target, Part(0, 1));
        CopyOptions longer = new() { SplitBytes = 2 * Range, ContinueOnError = true };
        FileBatchException error = await Should.ThrowAsync<FileBatchException>(
            () => SluiceFile.FinishCopyAsync(_source, _target, longer));
        error.Failures.Single().Error.Message.ShouldContain("written meanwhile, or its shards were given ranges of another length");
        await SluiceFile.FinishCopyAsync(_source, _target, End());
        File.ReadAllBytes(TargetFile).ShouldBeBytes(content);
    }
}
