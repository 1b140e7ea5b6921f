using System.Runtime.Versioning;
using Sluice.Copying;

namespace Sluice.Tests.Files;

/// <summary>
/// A copy that tries its ways on the first parts of a file that is not in memory: some of its bytes went directly, some through the page
/// cache unless it is durable, and all of them are the source's; it says what was measured.
/// </summary>
[Trait("Tier", "slow")]
[UnsupportedOSPlatform("windows")]
public sealed class MeasuredCopyTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [InlineData(CopyOptions.DefaultDepth, false)]
    [InlineData(CopyOptions.DefaultDepth, true)]
    [InlineData(7, true)]
    [InlineData(64, false)]
    public async Task It_is_the_source_wherever_that_ends_and_says_what_was_measured(int depth, bool isDurable)
    {
        foreach (int length in (int[])[1 << 20, (1 << 20) + 1, (3 << 20) - 4095, 3_000_777])
        {
            string source = NewColdFile(Bytes.Pattern(length, length));
            string target = _temp.NewPath();
            CopyOptions options = new() { Depth = depth, FlushToDisk = isDurable, Verify = isDurable };
            CopyResult result = await SluiceFile.CopyAsync(source, target, options);
            File.ReadAllBytes(target).ShouldBeBytes(Bytes.Pattern(length, length), $"{length} bytes, depth {depth}");
            (result.Bytes, result.Files, result.ChangedFiles).ShouldBe((length, 1, 0));
            Skip.If(result.Method == CopyMethod.Reflink, "this file system shares blocks");
            Skip.If(result.MethodReason is "direct I/O is refused here" or "the file is in memory", result.MethodReason);
            result.MethodReason.ShouldMatch(
                @"^measured on its parts, MiB/s: \d+ x \d+ KiB direct [\d,]+" + (isDurable ? "" : @", .*cached [\d,]+"));
            result.MethodReason.Contains("cached", StringComparison.Ordinal).ShouldBe(!isDurable);
            if (result.Method != CopyMethod.Direct)
            {
                result.Depth.ShouldBe(0);
            }
            else if (depth != CopyOptions.DefaultDepth)
            {
                result.Depth.ShouldBe(depth);
            }

            (result.MethodReason.Contains("by threads: ", StringComparison.Ordinal)).ShouldBe(SluiceEngines.UringReason is not null);
        }
    }

    [SkippableFact]
    public async Task What_was_cancelled_while_ways_were_compared_is_gone_on_from()
    {
        byte[] content = Bytes.Pattern(3_000_777);
        string source = NewColdFile(content);
        string target = _temp.NewPath();
        using CancellationTokenSource stop = new();
        CopyOptions first = new() { Resume = true, Progress = new Within(stop.Cancel) };
        await Should.ThrowAsync<OperationCanceledException>(() => SluiceFile.CopyAsync(source, target, first, stop.Token));
        File.Exists(target).ShouldBeFalse();
        Drop(source);
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Resume = true });
        File.ReadAllBytes(target).ShouldBeBytes(content);
        result.Bytes.ShouldBe(content.Length);
        Directory.GetFileSystemEntries(_temp.Root).Length.ShouldBe(2);
    }

    [SkippableFact]
    public async Task A_source_that_is_cut_meanwhile_ends_there()
    {
        const int left = 100_001;
        byte[] content = Bytes.Pattern(3_000_777);
        string source = NewColdFile(content);
        string target = _temp.NewPath();
        Within cuts = new(() =>
        {
            using SluiceHandle handle = SluiceHandle.Open(source, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
            handle.SetLength(left);
        });
        CopyResult result = await SluiceFile.CopyAsync(source, target, new CopyOptions { Progress = cuts });
        Skip.If(result.Method == CopyMethod.Reflink, "this file system shares blocks");
        result.ChangedFiles.ShouldBe(1);
        result.Bytes.ShouldBeInRange(left, content.Length);
        File.ReadAllBytes(target).ShouldBeBytes(content.AsSpan(0, (int)result.Bytes));
        result.Bytes.ShouldBeLessThan(content.Length);
    }

    /// <summary>Who copies a large file past the page cache, and copies it again, is told the same.</summary>
    [Fact]
    public void A_file_is_asked_whether_it_is_in_memory_at_other_places_each_time()
    {
        const long length = 512L << 20;
        const long part = length / 16;
        long[] first = [.. Enumerable.Range(0, 16).Select(i => DataRange.PlaceToAsk(length, i))];
        long[] second = [.. Enumerable.Range(0, 16).Select(i => DataRange.PlaceToAsk(length, i))];
        for (int i = 0; i < 16; i++)
        {
            first[i].ShouldBeInRange(part * i, (part * (i + 1)) - 1);
        }

        second.ShouldNotBe(first);
        DataRange.PlaceToAsk(1, 0).ShouldBe(0);
    }

    private string NewColdFile(byte[] content)
    {
        SmallPieces.OrSkip();
        Skip.IfNot(OperatingSystem.IsLinux(), "ways are compared on Linux");
        string path = _temp.NewFile(content);
        Drop(path);
        return path;
    }

    private static void Drop(string path)
    {
        using SluiceHandle handle = SluiceHandle.Open(path);
        Internals.Drop(handle);
    }
}
