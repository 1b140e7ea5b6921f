using System.Text;

namespace Sluice.Log.Tests;

/// <summary>Text written to a log, line by line.</summary>
public sealed class TextWriterTests
{
    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public async Task Each_line_is_a_record(LogFormat format)
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(new SluiceLogOptions { Format = format, Preallocate = false }))
        {
            using (TextWriter writer = log.CreateTextWriter())
            {
                await writer.WriteLineAsync("one");
                writer.Write("tw");
                writer.Write('o');
                writer.Write("\nthree\n\nfünf\nand ");
                writer.Write("no end".ToCharArray(), 0, 6);
                await writer.FlushAsync();
            }

            log.Append("log is open"u8);
        }

        string[] lines = format == LogFormat.Framed
            ? [.. folder.ReadAll().Select(static r => Encoding.UTF8.GetString(r.Bytes))]
            : await File.ReadAllLinesAsync(folder.RawFiles.Single());
        lines.ShouldBe(["one", "two", "three", "", "fünf", "and no end", "log is open"]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_flush_writes_the_lines_of_a_buffered_log(bool isAsynchronous)
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { Durability = LogDurability.Buffered, FlushInterval = TimeSpan.FromHours(1) });
        using TextWriter writer = log.CreateTextWriter();
        writer.Write("one\ntwo\nno end");
        if (isAsynchronous)
        {
            await writer.FlushAsync();
        }
        else
        {
            writer.Flush();
        }

        log.WrittenSequence.ShouldBe(2);
    }

    [Fact]
    public void A_line_that_is_too_long_takes_no_other_line_with_it()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { MaxRecordBytes = 100 });
        using (TextWriter writer = log.CreateTextWriter())
        {
            Should.Throw<ArgumentException>(() => writer.Write($"one\n{new string('x', 101)}\ntwo\nthr"));
            writer.Write("ee\n");
        }

        folder.ReadAll().Select(static r => Encoding.UTF8.GetString(r.Bytes)).ShouldBe(["one", "two", "three"]);
    }
}
