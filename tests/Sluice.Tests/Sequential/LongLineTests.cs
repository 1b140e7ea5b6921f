using System.Text;
using Sluice.Sequential;

namespace Sluice.Tests.Sequential;

/// <summary>Lines that no array and no string holds: the same code with a lower limit.</summary>
public sealed class LongLineTests
{
    [Fact]
    public void A_line_of_bytes_that_is_too_long_is_an_IOException()
    {
        LineCarry carry = new("name", maxBytes: 1000);
        carry.TryTake(new byte[600], 1, out int consumed, out _).ShouldBeFalse();
        consumed.ShouldBe(600);
        carry.TryTake([.. new byte[400], (byte)'\n'], 601, out _, out ReadOnlySpan<byte> line).ShouldBeTrue();
        line.Length.ShouldBe(1000);
        carry.TryTake(new byte[600], 1002, out _, out _).ShouldBeFalse();
        for (int i = 0; i < 2; i++)
        {
            IOException error = Should.Throw<IOException>(() => carry.TryTake(new byte[401], 1602, out _, out _));
            error.Message.ShouldContain("'name'");
            error.Message.ShouldContain("longer than 1000 bytes");
        }
    }

    [Fact]
    public void A_call_that_throws_has_taken_nothing()
    {
        LineCarry carry = new("name", maxBytes: 7);
        byte[] mark = [0xEF, 0xBB, 0xBF];
        _ = Should.Throw<IOException>(() => carry.TryTake([.. mark, .. "too long"u8], 0, out _, out _));
        carry.TryTake([.. mark, .. "ab"u8], 0, out int consumed, out _).ShouldBeFalse();
        consumed.ShouldBe(5);
        _ = Should.Throw<IOException>(() => carry.TryTake("too long"u8, 5, out _, out _));
        carry.TryTake("cd\n"u8, 5, out consumed, out ReadOnlySpan<byte> line).ShouldBeTrue();
        Encoding.ASCII.GetString(line).ShouldBe("abcd");
        consumed.ShouldBe(3);
    }

    /// <summary>The bytes that were kept belong to another place of the file.</summary>
    [Fact]
    public void A_line_that_began_elsewhere_is_forgotten()
    {
        LineCarry carry = new("name", maxBytes: 1000);
        carry.TryTake("ab"u8, 10, out _, out _).ShouldBeFalse();
        carry.KeptBytes(12).ShouldBe(2);
        carry.KeptBytes(13).ShouldBe(0);
        carry.TryTake("cd\n"u8, 13, out _, out ReadOnlySpan<byte> line).ShouldBeTrue();
        Encoding.ASCII.GetString(line).ShouldBe("cd");
    }

    [Theory]
    [InlineData("utf-8")]
    [InlineData("utf-16")]
    public void A_line_of_characters_that_is_too_long_is_an_IOException(string name)
    {
        var encoding = Encoding.GetEncoding(name);
        using LineDecoder decoder = new("name", encoding, maxChars: 1000);
        decoder.Add(encoding.GetBytes("short\n" + new string('x', 700)), isLast: false);
        decoder.TryTake(out string? line).ShouldBeTrue();
        line.ShouldBe("short");
        decoder.TryTake(out _).ShouldBeFalse();
        decoder.Add(encoding.GetBytes(new string('x', 300) + "\n"), isLast: false);
        decoder.TryTake(out line).ShouldBeTrue();
        line.Length.ShouldBe(1000);
        Should.Throw<IOException>(() =>
        {
            for (int i = 0; i < 10; i++)
            {
                decoder.Add(encoding.GetBytes(new string('x', 600)), isLast: i == 9);
                decoder.TryTake(out _).ShouldBeFalse();
            }
        }).Message.ShouldContain("longer than 1000 characters");
    }
}
