using System.Text;

namespace Sluice.Hostile.Tests.Throwing;

/// <summary>
/// Encodings of the caller's own that throw, wherever the library reads or writes text; members that .NET's File does are left out.
/// </summary>
[Trait("Tier", "slow")]
public sealed class EncodingTests : HostileTests
{
    private static readonly string[] Lines = [.. Enumerable.Range(0, 30).Select(i => $"{i} grüße {new string('x', i)}")];
    private static readonly string Text = string.Concat(Lines.Select(l => l + "\n"));

    [Theory]
    [InlineData("text")]
    [InlineData("text async")]
    [InlineData("all lines")]
    [InlineData("all lines async")]
    [InlineData("lines async")]
    [InlineData("reader")]
    [InlineData("reader async")]
    public Task Reading(string how) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile(Encoding.Unicode.GetBytes(Text));
        string? read = null;
        bool isRead = await countdown.TryAsync(async () => read = await ReadAsync(path, new HostileEncoding(countdown), how));
        isRead.ShouldBe(!countdown.HasThrown);
        if (isRead)
        {
            read.ShouldBe(Text);
        }
    });

    [Theory]
    [InlineData("text async")]
    [InlineData("lines async")]
    [InlineData("append async")]
    [InlineData("replace")]
    [InlineData("replace async")]
    public Task Writing(string how) => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewFile("old"u8);
        bool isWritten = await countdown.TryAsync(() => WriteAsync(path, new HostileEncoding(countdown), how));
        isWritten.ShouldBe(!countdown.HasThrown);
        byte[] found = File.ReadAllBytes(path);
        bool isAppended = how.StartsWith("append", StringComparison.Ordinal);
        byte[] start = isAppended ? "old"u8.ToArray() : Encoding.Unicode.GetPreamble();
        byte[] whole = [.. start, .. Encoding.Unicode.GetBytes(Text)];
        if (isWritten)
        {
            found.ShouldBeBytes(whole);
        }
        else if (how.StartsWith("replace", StringComparison.Ordinal))
        {
            found.ShouldBeBytes("old"u8);
        }
        else
        {
            bool isPrefix = whole.AsSpan().StartsWith(found);
            (isPrefix || found.AsSpan().SequenceEqual("old"u8)).ShouldBeTrue($"{found.Length} bytes");
        }

        Directory.GetFiles(Temp.Root, ".*").ShouldBeEmpty("a temporary file was left");
    });

    [Fact]
    public Task Strings_of_a_writer_and_a_reader() => EveryCallAsync(async countdown =>
    {
        string path = Temp.NewPath();
        HostileEncoding encoding = new(countdown);
        using (SluiceWriter writer = new(path, new SluiceWriterOptions { RequestSize = 4096 }))
        {
            foreach (string line in Lines)
            {
                long before = writer.Position;
                while (!countdown.Try(() => writer.WriteString(line, encoding)))
                {
                    writer.Position.ShouldBe(before, "half a string was written");
                }
            }
        }

        using SluiceReader reader = new(path, new SluiceReaderOptions { RequestSize = 4096 });
        foreach (string line in Lines)
        {
            string? read = null;
            long before = reader.Position;
            while (!countdown.Try(() => read = reader.ReadString(encoding)))
            {
                reader.Position.ShouldBe(before, "half a string was read");
            }

            read.ShouldBe(line);
        }

        await Task.CompletedTask;
    });

    private static async Task<string> ReadAsync(string path, Encoding encoding, string how)
    {
        switch (how)
        {
            case "text":
                return SluiceFile.ReadAllText(path, encoding);
            case "text async":
                return await SluiceFile.ReadAllTextAsync(path, encoding);
            case "all lines":
                return Join(SluiceFile.ReadAllLines(path, encoding));
            case "all lines async":
                return Join(await SluiceFile.ReadAllLinesAsync(path, encoding));
            case "lines async":
                return Join(await SluiceFile.ReadLinesAsync(path, encoding).ToListAsync());
            case "reader":
                using (SluiceReader reader = new(path, new SluiceReaderOptions { RequestSize = 4096 }))
                {
                    return Join(reader.ReadStringLines(encoding));
                }

            default:
                using (SluiceReader reader = new(path, new SluiceReaderOptions { RequestSize = 4096 }))
                {
                    return Join(await reader.ReadStringLinesAsync(encoding).ToListAsync());
                }
        }
    }

    private static string Join(IEnumerable<string> lines) => string.Concat(lines.Select(l => l + "\n"));

    private static Task WriteAsync(string path, Encoding encoding, string how)
    {
        switch (how)
        {
            case "text async":
                return SluiceFile.WriteAllTextAsync(path, Text, encoding);
            case "lines async":
                return SluiceFile.WriteAllLinesAsync(path, Lines, encoding);
            case "append async":
                return SluiceFile.AppendAllTextAsync(path, Text, encoding);
            case "replace":
                SluiceFile.ReplaceAtomically(path, Text, encoding);
                return Task.CompletedTask;
            default:
                return SluiceFile.ReplaceAtomicallyAsync(path, Text, encoding);
        }
    }
}
