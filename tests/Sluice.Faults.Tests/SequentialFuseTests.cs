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
    private static readonly string Text = string.Concat(Enumerable.Range(0, 20_000).Select(static i => $"line {i}\n"));

    public static TheoryData<string, FileCaching> Cases { get; } = new()
    {
        { nameof(FuseFault.ZeroLength), FileCaching.Cached },
        { nameof(FuseFault.ZeroLength), FileCaching.Direct },
        { nameof(FuseFault.ShortRead), FileCaching.Cached },
    };

    [SkippableTheory]
    [MemberData(nameof(Cases))]
    public async Task A_file_is_read_to_its_end_in_every_way(string fault, FileCaching caching)
    {
        using FuseMount mount = FuseMount.OrSkip(Enum.Parse<FuseFault>(fault));
        string path = mount.PathOf("a");
        await File.WriteAllTextAsync(path, Text);
        SluiceReaderOptions options = new() { Caching = caching };
        using (SluiceReader reader = new(path, options))
        {
            reader.SluiceHandle.Caching.ShouldBe(caching);
        }

        using (SluiceReader reader = new(path, options))
        {
            using MemoryStream read = new();
            while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
            {
                read.Write(block);
            }

            Encoding.ASCII.GetString(read.ToArray()).ShouldBe(Text);
        }

        using (SluiceReader reader = new(path, options))
        {
            using MemoryStream read = new();
            while (await reader.ReadBlockAsync() is { IsEmpty: false } block)
            {
                read.Write(block.Span);
            }

            Encoding.ASCII.GetString(read.ToArray()).ShouldBe(Text);
        }

        using (SluiceReader reader = new(path, options))
        {
            int lines = 0;
            foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
            {
                Encoding.ASCII.GetString(line).ShouldBe($"line {lines++}");
            }

            lines.ShouldBe(20_000);
        }

        using (SluiceReader reader = new(path, options))
        {
            reader.ReadStringLines().Count().ShouldBe(20_000);
        }

        using (SluiceReader reader = new(path, options))
        {
            using MemoryStream read = new();
            while (await reader.ReadBlockAsync() is { IsEmpty: false } block)
            {
                read.Write(block.Span);
            }

            Encoding.ASCII.GetString(read.ToArray()).ShouldBe(Text);
        }
    }

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
