using System.Runtime.InteropServices;
using Shouldly;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Load;

public sealed class PinnedBufferTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(4096)]
    [InlineData(65537)]
    public void Buffers_start_on_a_page_and_have_the_size(int sizeBytes)
    {
        Memory<byte> buffer = PinnedBuffer.Allocate(sizeBytes);
        buffer.Length.ShouldBe(sizeBytes);
        MemoryMarshal.TryGetArray((ReadOnlyMemory<byte>)buffer, out ArraySegment<byte> segment).ShouldBeTrue();
        (Marshal.UnsafeAddrOfPinnedArrayElement(segment.Array!, segment.Offset) % PinnedBuffer.AlignmentBytes).ShouldBe(0);
    }

    [Fact]
    public void Random_contents_do_not_compress()
    {
        Memory<byte> buffer = PinnedBuffer.AllocateRandom(65536, seed: 1);
        using var compressed = new MemoryStream();
        using (var zip = new System.IO.Compression.DeflateStream(
            compressed, System.IO.Compression.CompressionLevel.Optimal, leaveOpen: true))
            zip.Write(buffer.Span);
        compressed.Length.ShouldBeGreaterThan(65000);
    }
}
