using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Load;

/// <summary>One open file as one side of a comparison reads and writes it. Both sides get the same requests.</summary>
internal abstract class IoTarget : IDisposable
{
    public abstract string Side { get; }

    /// <summary>What really carries the requests: uring, pool, RandomAccess.</summary>
    public abstract string Engine { get; }

    public abstract FileCaching Caching { get; }

    public abstract string? CachingReason { get; }

    /// <summary>Bytes that offset and length of a request must be multiples of (1: anything goes).</summary>
    public abstract int RequestAlignmentBytes { get; }

    public abstract SafeFileHandle SafeFileHandle { get; }

    public abstract int Read(Memory<byte> buffer, long fileOffset);

    /// <summary>By the asynchronous call; on a file that was opened synchronously by the synchronous one.</summary>
    public abstract ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset);

    public abstract void Write(ReadOnlyMemory<byte> buffer, long fileOffset);

    /// <inheritdoc cref="ReadAsync"/>
    public abstract ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset);

    public abstract void Flush();

    /// <summary>By the side's own asynchronous call, or on a thread of the pool where it has none.</summary>
    public virtual Task FlushAsync() => Task.Run(Flush);

    /// <summary>The files behind this.</summary>
    public virtual IReadOnlyList<IoTarget> Parts => [this];

    public abstract void Dispose();

    public static IoTarget Open(IoSide side, TargetOptions options) =>
        side == IoSide.Sluice ? new SluiceTarget(options) : new BclTarget(options);
}

internal enum IoSide { Sluice, Bcl }
