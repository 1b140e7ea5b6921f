using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Load;

/// <summary>Creates and extends files with random bytes. Times the creation for --extend and --preallocate.</summary>
internal static class FileMaker
{
    /// <summary>
    /// The default request size, in bytes: large enough that the disk is the limit, small enough for the processor's cache.
    /// </summary>
    public const int DefaultRequestSizeBytes = (int)ByteSize.MiB;

    /// <summary>Appends random bytes from <paramref name="fromBytes"/> until the file has the size.</summary>
    /// <param name="progress">Called with the size reached so far; null for no progress.</param>
    private static void Fill(
        IoTarget target, long fromBytes, long sizeBytes, int requestSizeBytes, Action<long>? progress, CancellationToken cancellationToken)
    {
        Memory<byte> buffer = PinnedBuffer.AllocateRandom(requestSizeBytes, seed: 1);
        for (long offset = fromBytes; offset < sizeBytes;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int bytes = (int)Math.Min(buffer.Length, sizeBytes - offset);
            PinnedBuffer.Stamp(buffer.Span[..bytes], offset);
            target.Write(buffer[..bytes], offset);
            offset += bytes;
            progress?.Invoke(offset);
        }
    }

    /// <summary>
    /// Extends a file with random bytes, and flushes it. The length is set first, so that data which another process appends meanwhile
    /// follows these bytes. If the extension fails, the file is truncated to its old length, unless its length has changed again.
    /// </summary>
    /// <exception cref="IOException">The file does not have the expected length, or the disk is full.</exception>
    public static void Extend(
        IoTarget target, string path, long presentSizeBytes, long sizeBytes, Action<long>? progress, CancellationToken cancellationToken)
    {
        SafeFileHandle file = target.SafeFileHandle;
        if (RandomAccess.GetLength(file) is var length && length != presentSizeBytes)
        {
            throw new IOException($"{path} had {ByteSize.Format(presentSizeBytes)} and has {ByteSize.Format(length)}: others write to it, "
                + "and it is not extended");
        }
        RandomAccess.SetLength(file, sizeBytes);
        try
        {
            Fill(target, presentSizeBytes, sizeBytes, DefaultRequestSizeBytes, progress, cancellationToken);
            target.Flush();
        }
        catch
        {
            if (RandomAccess.GetLength(file) == sizeBytes)
                RandomAccess.SetLength(file, presentSizeBytes);
            throw;
        }
    }

    /// <summary>Closes an incomplete file and removes it, unless its name refers to another file.</summary>
    private static void Discard(IoTarget target, string path)
    {
        bool isThere = PathKinds.Names(path, target.SafeFileHandle);
        // The file is closed first, because Windows cannot remove an open file.
        target.Dispose();
        if (isThere)
            File.Delete(path);
    }

    /// <summary>
    /// Creates the file with synchronous requests and flushes it, and times both. If this fails, also after Ctrl-C, the file is removed,
    /// unless its name refers to another file.
    /// </summary>
    public static CreationTiming Create(
        IoSide side, TargetOptions options, long sizeBytes, int requestSizeBytes, Action<long>? progress,
        CancellationToken cancellationToken)
    {
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        long start = Stopwatch.GetTimestamp();
        // Opened outside the try block: if the file cannot be created because its name exists, the existing file must not be removed.
        using var target = new IoTarget(side, options);
        try
        {
            Fill(target, 0, sizeBytes, requestSizeBytes, progress, cancellationToken);
            TimeSpan written = Stopwatch.GetElapsedTime(start);
            long flushStart = Stopwatch.GetTimestamp();
            target.Flush();
            return new CreationTiming(side, sizeBytes, written, Stopwatch.GetElapsedTime(flushStart), Environment.CpuUsage.TotalTime - cpu)
            {
                PreallocationErrno = options.PreallocationSizeBytes > 0 ? PreallocationErrno(target, sizeBytes) : 0,
            };
        }
        catch
        {
            Discard(target, options.Path);
            throw;
        }
    }

    /// <summary>
    /// Returns the errno with which the file system refuses to reserve space (ENOSYS, EOPNOTSUPP), tested on the space that the file
    /// already has; 0 if it does not refuse.
    /// </summary>
    private static int PreallocationErrno(IoTarget target, long sizeBytes) =>
        CapabilityProbe.IsSupported && CapabilityProbe.Allocate(target.SafeFileHandle, 0, sizeBytes) is var errno and (38 or 95)
            ? errno
            : 0;
}

internal sealed record CreationTiming(IoSide Side, long SizeBytes, TimeSpan Write, TimeSpan Flush, TimeSpan Cpu)
{
    /// <summary>The errno with which preallocation is refused; 0 if it is supported or was not requested.</summary>
    public int PreallocationErrno { get; init; }
}
