using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Load;

/// <summary>An open file that is read and written with Sluice or with System.IO.RandomAccess, by the same requests.</summary>
internal class IoTarget(IoSide side, TargetOptions options) : IDisposable
{
    // .NET cannot open a file for direct I/O. So SluiceHandle opens the file for both, with File.OpenHandle, and sets the flag.
    private readonly SluiceHandle _handle = SluiceHandle.Open(
        options.Path, options.Mode, options.Access, FileShare.ReadWrite, options.FileOptions, options.PreallocationSizeBytes,
        options.Caching);

    private bool IsSluice => side == IoSide.Sluice;

    /// <summary>The engine that performs the transfers: uring, pool or RandomAccess.</summary>
    public string Engine => IsSluice ? _handle.EngineName : nameof(RandomAccess);

    public FileCaching Caching => _handle.Caching;

    public string? CachingReason => _handle.CachingReason;

    /// <summary>The required alignment of offsets and lengths, in bytes; 1 if there is no requirement.</summary>
    public int RequestAlignmentBytes =>
        IsSluice || Caching != FileCaching.Direct ? 1 : Math.Max(_handle.Alignment.Offset, _handle.Alignment.Length);

    public virtual SafeFileHandle SafeFileHandle => _handle.SafeFileHandle;

    public virtual int Read(Memory<byte> buffer, long fileOffset) =>
        IsSluice ? _handle.Read(buffer.Span, fileOffset) : RandomAccess.Read(_handle, buffer.Span, fileOffset);

    /// <summary>Transfers data with an asynchronous call, or with a synchronous one if the file was opened for synchronous I/O.</summary>
    public virtual ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset) => !options.Asynchronous ? new(Read(buffer, fileOffset))
        : IsSluice ? _handle.ReadAsync(buffer, fileOffset) : RandomAccess.ReadAsync(_handle, buffer, fileOffset);

    public void Write(ReadOnlyMemory<byte> buffer, long fileOffset)
    {
        if (IsSluice)
            _handle.Write(buffer.Span, fileOffset);
        else
            RandomAccess.Write(_handle, buffer.Span, fileOffset);
    }

    /// <inheritdoc cref="ReadAsync"/>
    public virtual ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset)
    {
        if (options.Asynchronous)
            return IsSluice ? _handle.WriteAsync(buffer, fileOffset) : RandomAccess.WriteAsync(_handle, buffer, fileOffset);
        Write(buffer, fileOffset);
        return ValueTask.CompletedTask;
    }

    public void Flush()
    {
        if (IsSluice)
            _handle.FlushToDisk();
        else
            RandomAccess.FlushToDisk(_handle);
    }

    /// <summary>Flushes with the asynchronous call of the library, or on a pool thread if it has none.</summary>
    public Task FlushAsync() => IsSluice ? _handle.FlushToDiskAsync().AsTask() : Task.Run(Flush);

    public void Dispose() => _handle.Dispose();
}

internal enum IoSide { Sluice, Bcl }
