using Shouldly;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Load;

public sealed class ByteToucherTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(31)]
    [InlineData(64)]
    [InlineData(1000)]
    public void Every_single_byte_changes_the_result(int length)
    {
        byte[] bytes = new byte[length];
        new Random(1).NextBytes(bytes);
        ulong before = ByteToucher.Fold(bytes);
        for (int i = 0; i < length; i++)
        {
            bytes[i] ^= 0x40;
            ByteToucher.Fold(bytes).ShouldNotBe(before, $"byte {i}");
            bytes[i] ^= 0x40;
        }
    }
}
