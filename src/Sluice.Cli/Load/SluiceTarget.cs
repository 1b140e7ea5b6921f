using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Load;

internal sealed class SluiceTarget(TargetOptions options) : IoTarget
{
    private readonly SluiceHandle _handle = SluiceHandle.Open(
        options.Path, options.Mode, options.Access, FileShare.ReadWrite, options.FileOptions, options.PreallocationSizeBytes,
        options.Caching);

    public override string Engine => _handle.EngineName;

    public override FileCaching Caching => _handle.Caching;

    public override string? CachingReason => _handle.CachingReason;

    public override int RequestAlignmentBytes => 1;

    public override SafeFileHandle SafeFileHandle => _handle.SafeFileHandle;

    public override int Read(Memory<byte> buffer, long fileOffset) => _handle.Read(buffer.Span, fileOffset);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset) =>
        options.Asynchronous ? _handle.ReadAsync(buffer, fileOffset) : new ValueTask<int>(Read(buffer, fileOffset));

    public override void Write(ReadOnlyMemory<byte> buffer, long fileOffset) => _handle.Write(buffer.Span, fileOffset);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset)
    {
        if (options.Asynchronous)
            return _handle.WriteAsync(buffer, fileOffset);
        Write(buffer, fileOffset);
        return ValueTask.CompletedTask;
    }

    public override void Flush() => _handle.FlushToDisk();

    public override async Task FlushAsync() => await _handle.FlushToDiskAsync();

    public override void Dispose() => _handle.Dispose();
}
