using System.Text;
using Sluice.Log.Frames;

namespace Sluice.Log.Tests;

/// <summary>The sum against published values and against the definition, bit by bit.</summary>
public sealed class Crc32CTests
{
    [Theory]
    [InlineData("", 0u)]
    [InlineData("a", 0xC1D04330u)]
    [InlineData("123456789", 0xE3069283u)]
    [InlineData("The quick brown fox jumps over the lazy dog", 0x22620404u)]
    public void Known_texts(string text, uint expected) =>
        (~Crc32C.Append(Crc32C.Begin, Encoding.ASCII.GetBytes(text))).ShouldBe(expected);

    [Fact]
    public void Iscsi_blocks_of_rfc_3720()
    {
        (~Crc32C.Append(Crc32C.Begin, new byte[32])).ShouldBe(0x8A9136AAu);
        byte[] ones = new byte[32];
        ones.AsSpan().Fill(0xFF);
        (~Crc32C.Append(Crc32C.Begin, ones)).ShouldBe(0x62A8AB43u);
        byte[] rising = [.. Enumerable.Range(0, 32).Select(static i => (byte)i)];
        (~Crc32C.Append(Crc32C.Begin, rising)).ShouldBe(0x46DD794Eu);
    }

    [Fact]
    public void Every_length_and_division_gives_what_the_definition_gives()
    {
        Random random = new(4711);
        byte[] bytes = new byte[20_000];
        random.NextBytes(bytes);
        uint[] slow = new uint[bytes.Length + 1];
        slow[0] = Crc32C.Begin;
        for (int i = 0; i < bytes.Length; i++)
        {
            uint crc = slow[i] ^ bytes[i];
            for (int bit = 0; bit < 8; bit++)
            {
                crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82F63B78 : crc >> 1;
            }

            slow[i + 1] = crc;
        }

        for (int length = 0; length < bytes.Length; length += length < 100 ? 1 : random.Next(1, 500))
        {
            Crc32C.Append(Crc32C.Begin, bytes.AsSpan(0, length)).ShouldBe(slow[length]);
            int cut = random.Next(length + 1);
            Crc32C.Append(Crc32C.Append(Crc32C.Begin, bytes.AsSpan(0, cut)), bytes.AsSpan(cut, length - cut)).ShouldBe(slow[length]);
        }
    }
}
