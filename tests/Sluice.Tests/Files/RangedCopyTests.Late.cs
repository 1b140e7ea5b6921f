using Sluice.Copying;
using Sluice.Copying.Ranges;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Tests.Files;

/// <summary>
/// A machine that was taken for dead may wake up in the middle of a range, which another has copied, when the copy has ended.
/// </summary>
public sealed partial class RangedCopyTests
{
    /// <summary>Who wakes up late may find that the source is another one: what it has read then is not written.</summary>
    [SkippableTheory]
    [InlineData(CopyMethod.Direct)]
    [InlineData(CopyMethod.Buffered)]
    public void What_was_read_of_another_version_is_not_written(CopyMethod method)
    {
        WriteSource(2 * Range);
        using Descriptor source = OpenSource(out NodePath from, out Statx before);
        using PartFolder part = OpenPart(before);
        RangeTransfer transfer = new(
            source.Fd, from, before, part, TargetFile, new CopyOptions { Method = method }, new CopyMeter(null), CancellationToken.None);
        transfer.Run(new DataRange(0, Range), sharesBlocks: false);
        byte[] copied = new byte[2 * Range];
        File.ReadAllBytes(SourceFile).AsSpan(0, Range).CopyTo(copied);
        WriteSource(2 * Range, start: 99);
        Should.Throw<IOException>(() => transfer.Run(new DataRange(Range, 2 * Range), sharesBlocks: false))
            .Message.ShouldContain("written meanwhile");
        File.ReadAllBytes(PartFile).ShouldBeBytes(copied);
    }

    /// <summary>Or that the copy is in use, under its name, while the source is as it was.</summary>
    [SkippableTheory]
    [InlineData(CopyMethod.Direct)]
    [InlineData(CopyMethod.Buffered)]
    public void What_has_its_name_is_not_written_any_more(CopyMethod method)
    {
        WriteSource(4 * Range);
        byte[] inUse = Bytes.Pattern(4 * Range, 55);
        using Descriptor source = OpenSource(out NodePath from, out Statx before);
        using PartFolder part = OpenPart(before);
        CopyMeter meter = new(new Within(() =>
        {
            File.Move(PartFile, TargetFile);
            using FileStream named = File.OpenWrite(TargetFile);
            named.Write(inUse);
        }));
        CopyOptions alone = new() { Method = method, Depth = 1 };
        RangeTransfer transfer = new(source.Fd, from, before, part, TargetFile, alone, meter, CancellationToken.None);
        Should.Throw<IOException>(() => transfer.Run(new DataRange(0, 4 * Range), sharesBlocks: false))
            .Message.ShouldContain("given the copy its name");
        File.ReadAllBytes(TargetFile).ShouldBeBytes(inUse);
    }

    private Descriptor OpenSource(out NodePath from, out Statx stat)
    {
        from = NodePath.Of(SourceFile);
        return FileCopier.OpenSource(from, followsLinks: false, out stat);
    }

    private PartFolder OpenPart(in Statx stat)
    {
        Directory.CreateDirectory(_target);
        return PartFolder.OpenOrMake(NodePath.Of(TargetFile), stat, Range).ShouldNotBeNull();
    }
}
