using Shouldly;
using Sluice.Cli.Programs;
using Xunit;

namespace Sluice.Cli.Tests.Programs;

public sealed class ChecksumTests
{
    [Fact]
    public void The_same_bytes_give_the_same_sum_however_they_come()
    {
        byte[] bytes = new byte[3000];
        new Random(1).NextBytes(bytes);
        foreach (int piece in (int[])[1, 2, 3, 5, 7, 8, 9, 15, 64, 100, 2999, 3000])
        {
            var sum = new Checksum();
            for (int at = 0; at < bytes.Length; at += piece)
                sum.Add(bytes.AsSpan(at, Math.Min(piece, bytes.Length - at)));
            (sum.Crc, sum.Bytes).ShouldBe((Bitwise(bytes, 0), 3000L), $"pieces of {piece}");
        }
        var single = new Checksum();
        foreach (byte value in bytes)
            single.Add(value);
        single.Crc.ShouldBe(Bitwise(bytes, 0));
    }

    [Fact]
    public void What_differs_is_told()
    {
        Sum("ab").Difference(Sum("a", "b")).ShouldBe("1 lines, not 2");
        Sum("ab", "c").Difference(Sum("a", "bcd")).ShouldBe("3 bytes, not 4");
        Sum("ab", "c").Difference(Sum("a", "bc"))!.ShouldContain("CRC-32C");
        Sum("ab", "c").Difference(Sum("c", "ab"))!.ShouldContain("CRC-32C");
        Sum("ab", "c").Difference(Sum("ab", "c")).ShouldBeNull();
    }

    [Fact]
    public void A_long_loop_is_interrupted()
    {
        using var cancellation = new CancellationTokenSource();
        var sum = new Checksum(cancellation.Token);
        sum.Add(0);
        cancellation.Cancel();
        Should.Throw<OperationCanceledException>(() =>
        {
            for (int i = 0; i < 1 << 20; i++)
                sum.Add(0);
        });
        Should.Throw<OperationCanceledException>(() => new Checksum(cancellation.Token).Add(new byte[2 << 20]));
    }

    private static Checksum Sum(params string[] lines)
    {
        var sum = new Checksum();
        foreach (string line in lines)
            sum.AddLine(line);
        return sum;
    }

    // RFC 3720, bit by bit.
    private static uint Bitwise(ReadOnlySpan<byte> bytes, uint crc)
    {
        foreach (byte value in bytes)
        {
            crc ^= value;
            for (int bit = 0; bit < 8; bit++)
                crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
        }
        return crc;
    }
}
