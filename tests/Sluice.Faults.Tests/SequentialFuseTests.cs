using System.Text;
using Shouldly;
using Sluice.Faults.Child.Fuse;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>Readers on file systems that report the length 0, or read less than is there: only a read of 0 bytes is the end.</summary>
[Trait("Tier", "slow")]
public sealed class SequentialFuseTests
{
    /// <summary>A file that reports the length 0 is as long as what is read of it.</summary>
    [SkippableTheory]
    [InlineData(nameof(FuseFault.ZeroLength))]
    [InlineData(nameof(FuseFault.ShortRead))]
    public async Task A_followed_file_gives_each_line_once(string fault)
    {
        using FuseMount mount = FuseMount.OrSkip(Enum.Parse<FuseFault>(fault));
        string path = mount.PathOf("a");
        await File.WriteAllTextAsync(path, "one\ntwo\n");
        SluiceFollowOptions options = new() { FromStart = true, PollInterval = TimeSpan.FromMilliseconds(1) };
        using CancellationTokenSource patience = new(TimeSpan.FromMinutes(2));
        List<string> lines = [];
        await foreach (ReadOnlyMemory<byte> line in SluiceReader.FollowAsync(path, options, patience.Token))
        {
            lines.Add(Encoding.ASCII.GetString(line.Span));
            if (lines.Count == 2)
            {
                await using FileStream more = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
                more.Position = 8;
                more.Write("three\n"u8);
            }
            else if (lines.Count == 3)
            {
                break;
            }
        }

        lines.ShouldBe(["one", "two", "three"]);
    }

    [SkippableTheory]
    [InlineData(nameof(FuseFault.None))]
    [InlineData(nameof(FuseFault.ZeroLength))]
    public async Task Following_from_the_end_returns_later_lines_only(string fault)
    {
        using FuseMount mount = FuseMount.OrSkip(Enum.Parse<FuseFault>(fault));
        string path = mount.PathOf("a");
        await File.WriteAllTextAsync(path, "one\ntwo\n");
        using CancellationTokenSource patience = new(TimeSpan.FromMinutes(2));
        SluiceFollowOptions options = new() { PollInterval = TimeSpan.FromMilliseconds(1) };
        await using IAsyncEnumerator<ReadOnlyMemory<byte>> lines =
            SluiceReader.FollowAsync(path, options, patience.Token).GetAsyncEnumerator();

        // The file is opened before the call returns.
        ValueTask<bool> next = lines.MoveNextAsync();
        await using (FileStream more = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            more.Position = 8;
            more.Write("three\n"u8);
        }

        (await next).ShouldBeTrue();
        Encoding.ASCII.GetString(lines.Current.Span).ShouldBe("three");
    }
}
