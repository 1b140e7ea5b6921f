using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Load;

/// <summary>An open file that is read and written with Sluice or with .NET, by the same requests.</summary>
internal abstract class IoTarget : IDisposable
{
    /// <summary>The engine that performs the transfers: uring, pool or RandomAccess.</summary>
    public abstract string Engine { get; }

    public abstract FileCaching Caching { get; }

    public abstract string? CachingReason { get; }

    /// <summary>The required alignment of offsets and lengths, in bytes; 1 if there is no requirement.</summary>
    public abstract int RequestAlignmentBytes { get; }

    public abstract SafeFileHandle SafeFileHandle { get; }

    public abstract int Read(Memory<byte> buffer, long fileOffset);

    /// <summary>Transfers data with an asynchronous call, or with a synchronous one if the file was opened for synchronous I/O.</summary>
    public abstract ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset);

    public abstract void Write(ReadOnlyMemory<byte> buffer, long fileOffset);

    /// <inheritdoc cref="ReadAsync"/>
    public abstract ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset);

    public abstract void Flush();

    /// <summary>Flushes with the asynchronous call of the library, or on a pool thread if it has none.</summary>
    public virtual Task FlushAsync() => Task.Run(Flush);

    public abstract void Dispose();

    public static IoTarget Open(IoSide side, TargetOptions options) =>
        side == IoSide.Sluice ? new SluiceTarget(options) : new BclTarget(options);
}

internal enum IoSide { Sluice, Bcl }
