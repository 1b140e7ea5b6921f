using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Streams;

/// <summary>Accepts all bytes and discards them. Stream.Null is not used, because a copy may treat it specially.</summary>
internal sealed class CountingSink : WriteOnlyStream
{
    public long Bytes { get; private set; }

    public override void Write(ReadOnlySpan<byte> buffer) => Bytes += buffer.Length;

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        Bytes += buffer.Length;
        return ValueTask.CompletedTask;
    }
}
