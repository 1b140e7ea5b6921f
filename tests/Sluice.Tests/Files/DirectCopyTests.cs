namespace Sluice.Tests.Files;

/// <summary>Copies with direct I/O.</summary>
[Trait("Tier", "slow")]
public sealed class DirectCopyTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [InlineData(7)]
    [InlineData(64)]
    public async Task A_direct_copy_has_the_bytes_of_its_source(int depth)
    {
        SkipWhereThereIsNoDirect();
        byte[] content = Bytes.Pattern(5_000_123);
        string source = _temp.NewFile(content);
        string target = _temp.NewPath();
        CopyOptions options = new() { Method = CopyMethod.Direct, Depth = depth, Verify = true };
        CopyResult result = await SluiceFile.CopyAsync(source, target, options);
        File.ReadAllBytes(target).ShouldBeBytes(content);
        (result.Method, result.Depth, result.Bytes).ShouldBe((CopyMethod.Direct, depth, content.Length));
        result.MethodReason.ShouldBe("it was asked for");
    }

    [SkippableFact]
    public async Task Whoever_is_told_of_the_progress_is_told_on_one_thread_and_may_throw()
    {
        SkipWhereThereIsNoDirect();
        string source = _temp.NewFile(Bytes.Pattern(8_000_000));
        string target = _temp.NewPath();
        InvalidDataException thrown = new("enough");
        CopyOptions options = new() { Method = CopyMethod.Direct, Depth = 8, Progress = new Telling(_ => throw thrown) };
        (await Should.ThrowAsync<InvalidDataException>(() => SluiceFile.CopyAsync(source, target, options))).ShouldBeSameAs(thrown);
        Directory.GetFileSystemEntries(_temp.Root).ShouldBe([source]);

        HashSet<int> threads = [];
        Telling telling = new(_ => threads.Add(Environment.CurrentManagedThreadId));
        options = new() { Method = CopyMethod.Direct, Depth = 8, Progress = telling };
        (await SluiceFile.CopyAsync(source, target, options)).Bytes.ShouldBe(8_000_000);
        threads.Count.ShouldBe(1);
    }

    private void SkipWhereThereIsNoDirect()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "the direct way is Linux's");
        using SluiceHandle handle = SluiceHandle.Open(_temp.NewPath(), FileMode.Create, FileAccess.ReadWrite, caching: FileCaching.Direct);
        Skip.If(handle.Caching != FileCaching.Direct, handle.CachingReason);
        File.Delete(handle.Path!);
    }
}
