using System.Text;
using Sluice.Sequential;
using Sluice.Testing;

namespace Sluice.Tests.Sequential;

/// <summary>Contracts of small parts that larger tests walk past: found by putting defects into them.</summary>
[Collection(AloneCollection.Name)]
public sealed class SmallContractTests : AccountedTests, IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(4096, 8192, 512, true)]
    [InlineData(4097, 8192, 512, false)]
    [InlineData(4096, 8193, 512, false)]
    [InlineData(4096, 8192, 513, false)]
    public void Direct_transfers_have_aligned_memory_offset_and_length(int address, long offset, int length, bool isAligned) =>
        new FileAlignment(512, 512, 512).IsAligned(address, offset, length).ShouldBe(isAligned);

    [Fact]
    public void Records_lie_where_their_type_may_lie()
    {
        Records.IsAligned<long>(16).ShouldBeTrue();
        Records.IsAligned<long>(12).ShouldBeFalse();
        Records.IsAligned<short>(12).ShouldBeTrue();
        Records.IsAligned<short>(13).ShouldBeFalse();
    }

    [Fact]
    public async Task A_scan_over_lines_longer_than_its_parts_gives_its_memory_back()
    {
        string path = _temp.NewFile(Encoding.ASCII.GetBytes(string.Join('\n', Enumerable.Repeat(new string('x', 3_000_000), 3))));
        int rented = Rented();
        long sum = 0;
        SluiceScanOptions options = new() { PartSize = 4096, Degree = 1 };
        await foreach (int bytes in SluiceReader.ScanAsync(path, static part => part.Bytes.Length, options))
        {
            sum += bytes;
        }

        sum.ShouldBe(9_000_002);
        ShouldHaveGivenBack(rented);
    }

    [Fact]
    public void The_memory_of_a_block_that_could_not_be_written_is_given_back()
    {
        int rented = Rented();
        SluiceWriterOptions options = new() { RequestSize = 4096, Engine = new FaultyEngine(new FaultPlan(1) { Eio = 1 }) };
        SluiceWriter writer = new(_temp.NewPath(), options);
        Should.Throw<IOException>(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                writer.Write(new byte[100]);
            }
        });
        writer.Dispose();
        ShouldHaveGivenBack(rented);
    }

    [Theory]
    [InlineData(false, 4186)]
    [InlineData(true, 4186)]
    [InlineData(true, 4086)]
    public async Task What_another_call_takes_of_a_line_that_was_cancelled_is_not_part_of_it(bool isAsync, int length)
    {
        byte[] content = Encoding.ASCII.GetBytes(new string('a', 4096) + new string('b', 100) + new string('c', 50) + "\nlast\n");
        using SluiceReader reader = new(_temp.NewFile(content), new SluiceReaderOptions { RequestSize = 4096 });
        using CancellationTokenSource source = new();
        reader.TryReadBlock(out _).ShouldBeTrue();
        reader.Seek(10);
        await source.CancelAsync();
        if (isAsync)
        {
            IAsyncEnumerator<ReadOnlyMemory<byte>> lines = reader.EnumerateLinesAsync(source.Token).GetAsyncEnumerator();
            await Should.ThrowAsync<OperationCanceledException>(async () => await lines.MoveNextAsync());
        }
        else
        {
            Should.Throw<OperationCanceledException>(() => reader.TryReadLine(out _, source.Token));
        }

        // Where the line begins: what is taken from there is in front of what the next line is made of.
        reader.Position.ShouldBe(10);
        byte[] taken = new byte[length];
        reader.ReadExactly(taken);
        taken.ShouldBeBytes(content.AsSpan(10, taken.Length));
        reader.TryReadLine(out ReadOnlySpan<byte> line).ShouldBeTrue();
        line.ToArray().ShouldBeBytes(content.AsSpan(10 + length, content.Length - 6 - 10 - length));
        reader.TryReadLine(out line).ShouldBeTrue();
        line.SequenceEqual("last"u8).ShouldBeTrue();
    }

    [Fact]
    public void A_seek_between_the_two_halves_of_a_line_end_forgets_the_first()
    {
        byte[] content = Encoding.ASCII.GetBytes(new string('x', 4095) + "\r\nlast\n");
        using SluiceReader reader = new(_temp.NewFile(content), new SluiceReaderOptions { RequestSize = 4096 });
        reader.TryReadLine(out ReadOnlySpan<byte> line).ShouldBeTrue();
        line.Length.ShouldBe(4095);
        reader.Seek(4096);
        reader.TryReadLine(out line).ShouldBeTrue();
        line.Length.ShouldBe(0, "the line feed alone ends a line");
    }
}
