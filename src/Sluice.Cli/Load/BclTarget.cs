using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Load;

/// <summary>
/// A file that is read and written with System.IO.RandomAccess. .NET cannot open a file for direct I/O, so Sluice opens the file and sets
/// the flag, and .NET uses that descriptor.
/// </summary>
internal sealed class BclTarget : IoTarget
{
    private readonly SluiceHandle? _opener;
    private readonly SafeFileHandle _handle;
    private readonly bool _isAsync;

    public BclTarget(TargetOptions options)
    {
        _isAsync = options.Asynchronous;
        if (options.Caching == FileCaching.Cached)
        {
            _handle = File.OpenHandle(
                options.Path, options.Mode, options.Access, FileShare.ReadWrite, options.FileOptions, options.PreallocationSizeBytes);
        }
        else
        {
            _opener = SluiceHandle.Open(options.Path, options.Mode, options.Access, FileShare.ReadWrite, options.FileOptions,
                options.PreallocationSizeBytes, options.Caching);
            _handle = _opener.SafeFileHandle;
        }
    }

    public override string Engine => "RandomAccess";

    public override FileCaching Caching => _opener?.Caching ?? FileCaching.Cached;

    public override string? CachingReason => _opener?.CachingReason;

    public override int RequestAlignmentBytes => _opener is null ? 1 : Math.Max(_opener.Alignment.Offset, _opener.Alignment.Length);

    public override SafeFileHandle SafeFileHandle => _handle;

    public override int Read(Memory<byte> buffer, long fileOffset) => RandomAccess.Read(_handle, buffer.Span, fileOffset);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset) =>
        _isAsync ? RandomAccess.ReadAsync(_handle, buffer, fileOffset) : new ValueTask<int>(Read(buffer, fileOffset));

    public override void Write(ReadOnlyMemory<byte> buffer, long fileOffset) => RandomAccess.Write(_handle, buffer.Span, fileOffset);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset)
    {
        if (_isAsync)
            return RandomAccess.WriteAsync(_handle, buffer, fileOffset);
        Write(buffer, fileOffset);
        return ValueTask.CompletedTask;
    }

    public override void Flush() => RandomAccess.FlushToDisk(_handle);

    public override void Dispose()
    {
        if (_opener is null)
            _handle.Dispose();
        else
            _opener.Dispose();
    }
}
