using System.Text;

namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// A progress of a reader, writer, scan or follower that throws: nothing is lost, nothing comes twice, and the caller hears of it.
/// </summary>
[Trait("Tier", "slow")]
public sealed class SequentialProgressTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(70_000);

    [Theory]
    [MemberData(nameof(Cases))]
    public Task Lines(string engine, FileCaching caching) => EveryCallAsync(async countdown =>
    {
        string[] lines = [.. Enumerable.Range(0, 700).Select(i => $"line {i} {new string('x', i % 50)}")];
        string path = Temp.NewFile(Encoding.ASCII.GetBytes(string.Join('\n', lines) + "\n"));
        using Neighbour neighbour = new(Temp, caching);
        foreach (string how in (string[])["one", "sync", "async", "strings", "backward"])
        {
            using SluiceReader reader = NewReader(countdown, path, engine, caching, requestSize: 8192);
            List<string> read = [];
            neighbour.Step();
            for (bool isEnd = false; !isEnd;)
            {
                isEnd = await countdown.TryAsync(() => ReadLinesAsync(reader, how, read));
                if (!isEnd && how is "backward" or "strings")
                {
                    // Enumerations that are ahead of what they gave: from the beginning again.
                    read.Clear();
                    reader.Seek(0);
                }
            }

            if (how == "backward")
            {
                read.Reverse();
            }

            string.Join('|', read).ShouldBe(string.Join('|', lines), how);
        }
    });

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Scan(bool ordered) => EveryCallAsync(async countdown =>
    {
        string[] lines = [.. Enumerable.Range(0, 2500).Select(i => $"line {i} {new string('x', i % 50)}")];
        string path = Temp.NewFile(Encoding.ASCII.GetBytes(string.Join('\n', lines) + "\n"));
        SluiceScanOptions options = new()
        {
            Ordered = ordered,
            PartSize = 20_000,
            Degree = 2,
            Progress = new HostileProgress<long>(countdown),
        };
        List<(long Offset, string Text)> parts = [];
        bool isWhole = await countdown.TryAsync(async () =>
        {
            await foreach ((long, string) part in SluiceReader.ScanAsync(path, Parse, options))
            {
                parts.Add(part);
            }
        });
        isWhole.ShouldBe(!countdown.HasThrown, "a scan that failed ended as if it were whole");
        if (isWhole)
        {
            string.Concat(parts.OrderBy(p => p.Offset).Select(p => p.Text)).ShouldBe(string.Join('\n', lines) + "\n");
        }

        (long, string) Parse(ScanPart part)
        {
            // The callback is the caller's code too.
            countdown.Hit();
            return (part.Offset, Encoding.ASCII.GetString(part.Bytes));
        }
    });

    [Fact]
    public Task Follow() => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile("first\nsecond\n"u8);
        SluiceFollowOptions options = new()
        {
            FromStart = true,
            PollInterval = TimeSpan.FromMilliseconds(1),
            Progress = new HostileProgress<long>(countdown),
        };
        List<string> read = [];
        bool isWhole = await countdown.TryAsync(async () =>
        {
            await foreach (ReadOnlyMemory<byte> line in SluiceReader.FollowAsync(path, options))
            {
                read.Add(Encoding.ASCII.GetString(line.Span));
                if (read.Count == 2)
                {
                    await File.AppendAllTextAsync(path, "third\n");
                }

                if (read.Count == 3)
                {
                    break;
                }
            }
        });
        read.ShouldBe(isWhole ? ["first", "second", "third"] : [.. new[] { "first", "second", "third" }.Take(read.Count)]);
        isWhole.ShouldBe(!countdown.HasThrown);
    });

    private static async Task ReadLinesAsync(SluiceReader reader, string how, List<string> read)
    {
        switch (how)
        {
            case "one":
                while (reader.TryReadLine(out ReadOnlySpan<byte> line))
                {
                    read.Add(Encoding.ASCII.GetString(line));
                }

                break;
            case "sync":
                foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
                {
                    read.Add(Encoding.ASCII.GetString(line));
                }

                break;
            case "async":
                await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())
                {
                    read.Add(Encoding.ASCII.GetString(line.Span));
                }

                break;
            case "strings":
                read.AddRange(reader.ReadStringLines());
                break;
            default:
                foreach (ReadOnlySpan<byte> line in reader.EnumerateLinesBackward())
                {
                    read.Add(Encoding.ASCII.GetString(line));
                }

                break;
        }
    }

    private static SluiceReader NewReader(
        Countdown countdown, string path, string engine, FileCaching caching, int requestSize = 16_384) =>
        new(path, new SluiceReaderOptions
        {
            Engine = Engine(engine),
            Caching = caching,
            RequestSize = requestSize,
            Depth = 2,
            Progress = new HostileProgress<long>(countdown),
        });
}
