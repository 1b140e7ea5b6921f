using System.Buffers.Binary;
using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Load;

/// <summary>--verify finds a byte that is not what was read or written.</summary>
public sealed class BlockVerifierTests : FolderTest
{
    private const int Request = 2048;

    [Fact]
    public void What_was_read_is_compared_with_what_is_there()
    {
        byte[] content = new byte[8 * Request];
        new Random(1).NextBytes(content);
        var verifier = new BlockVerifier(Load(content, writeShare: 0), []);
        for (int at = 0; at < content.Length; at += 2 * Request)
            verifier.OnRead(content.AsSpan(at, Request), at);
        verifier.Finish(CancellationToken.None).ShouldBe(new VerifyReport(4, 0, null));

        byte[] other = content[(4 * Request)..(5 * Request)];
        other[777] ^= 1;
        verifier.OnRead(other, 4 * Request);
        verifier.Finish(CancellationToken.None).ShouldBe(new VerifyReport(4, 1, 4 * Request), "two reads of one place differ");

        content[(2 * Request) + 5] ^= 1;
        File.WriteAllBytes(Folder["a"], content);
        verifier.Finish(CancellationToken.None).FirstWrongOffset.ShouldBe(2 * Request);
    }

    [Fact]
    public void What_was_written_may_be_of_either_writer_sector_by_sector_and_nothing_else()
    {
        Memory<byte>[] buffers = [PinnedBuffer.AllocateRandom(Request, 1), PinnedBuffer.AllocateRandom(Request, 2)];
        byte[] content = new byte[4 * Request];
        for (int i = 0; i < 4; i++)
        {
            buffers[i % 2].Span.CopyTo(content.AsSpan(i * Request));
            BinaryPrimitives.WriteInt64LittleEndian(content.AsSpan(i * Request), i * Request);
        }
        buffers[1].Span.Slice(512, 512).CopyTo(content.AsSpan(512));
        var verifier = new BlockVerifier(Load(content, writeShare: 1), buffers);
        for (int i = 0; i < 4; i++)
            verifier.OnWritten(i * Request);
        verifier.Finish(CancellationToken.None).ShouldBe(new VerifyReport(4, 0, null));

        content[(3 * Request) + 1024] ^= 1;
        File.WriteAllBytes(Folder["a"], content);
        verifier.Finish(CancellationToken.None).ShouldBe(new VerifyReport(4, 1, 3 * Request));

        BinaryPrimitives.WriteInt64LittleEndian(content.AsSpan(Request), 2 * Request);
        File.WriteAllBytes(Folder["a"], content);
        verifier.Finish(CancellationToken.None).FirstWrongOffset.ShouldBe(Request, "it lies where another belongs");
    }

    /// <summary>A direct write that is not aligned goes in pieces, and each of two writers may be the last at its own.</summary>
    [Fact]
    public void Two_writers_may_meet_where_a_page_of_the_file_begins()
    {
        const int Odd = 1000;
        const int WithinPage = 4096 - (4 * Odd);
        Memory<byte>[] buffers = [PinnedBuffer.AllocateRandom(Odd, 1), PinnedBuffer.AllocateRandom(Odd, 2)];
        byte[] content = new byte[8 * Odd];
        buffers[0].Span[..WithinPage].CopyTo(content.AsSpan(4 * Odd));
        buffers[1].Span[WithinPage..].CopyTo(content.AsSpan((4 * Odd) + WithinPage));
        BinaryPrimitives.WriteInt64LittleEndian(content.AsSpan(4 * Odd), 4 * Odd);
        var verifier = new BlockVerifier(Load(content, writeShare: 1) with { RequestSizeBytes = Odd }, buffers);
        verifier.OnWritten(4 * Odd);
        verifier.Finish(CancellationToken.None).ShouldBe(new VerifyReport(1, 0, null));

        // Elsewhere they may not.
        buffers[0].Span.Slice(WithinPage, 10).CopyTo(content.AsSpan((4 * Odd) + WithinPage));
        File.WriteAllBytes(Folder["a"], content);
        verifier.Finish(CancellationToken.None).ShouldBe(new VerifyReport(1, 1, 4 * Odd));
    }

    [Fact]
    public void More_requests_than_can_be_kept_are_refused() =>
        Should.Throw<UsageException>(() => new BlockVerifier(new Workload(Folder["a"], 1L << 40, 512), []));

    private Workload Load(byte[] content, double writeShare)
    {
        File.WriteAllBytes(Folder["a"], content);
        return new Workload(Folder["a"], content.Length, Request) { WriteShare = writeShare };
    }
}
