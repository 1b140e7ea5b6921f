using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Load;

/// <summary>Makes and extends files of random bytes, and times it for -x and -p.</summary>
internal static class FileMaker
{
    /// <summary>Big enough that filling a file is bound by the disk, small enough to stay in the processor's cache.</summary>
    public const int DefaultRequestSizeBytes = (int)ByteSize.MiB;

    /// <summary>Appends random bytes from <paramref name="fromBytes"/> until the file has the size.</summary>
    /// <param name="progress">Told the size reached so far.</param>
    public static void Fill(
        IoTarget target, long fromBytes, long sizeBytes, int requestSizeBytes, Action<long>? progress, CancellationToken cancellationToken)
    {
        Memory<byte> buffer = PinnedBuffer.AllocateRandom(requestSizeBytes, seed: 1);
        for (long offset = fromBytes; offset < sizeBytes;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int bytes = (int)Math.Min(buffer.Length, sizeBytes - offset);
            if (bytes >= sizeof(long))
                System.Buffers.Binary.BinaryPrimitives.WriteInt64LittleEndian(buffer.Span, offset);
            target.Write(buffer[..bytes], offset);
            offset += bytes;
            progress?.Invoke(offset);
        }
    }

    /// <summary>
    /// Makes a file longer by random bytes, and flushes it. It gets its length first: what others append meanwhile stands behind these
    /// bytes, and stays. One that does not become whole is cut back, unless others have made it longer.
    /// </summary>
    /// <exception cref="IOException">It has another length than it had, or the disk is full.</exception>
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

    /// <summary>Closes a file that did not become whole, and removes it, unless another one has its name by now.</summary>
    public static void Discard(IoTarget target, string path)
    {
        bool isThere = PathKinds.Names(path, target.SafeFileHandle);
        // Windows removes nothing that is open.
        target.Dispose();
        if (isThere)
            File.Delete(path);
    }

    /// <summary>
    /// Creates the file anew, synchronously, request after request, and then flushes it; both are timed. One that does not become whole is
    /// removed, unless another one has its name by then.
    /// </summary>
    public static CreationTiming CreateTimed(
        IoSide side, TargetOptions options, long sizeBytes, int requestSizeBytes, Action<long>? progress,
        CancellationToken cancellationToken)
    {
        TimeSpan cpu = CpuMeter.ProcessTime();
        long start = Stopwatch.GetTimestamp();
        // Not within what removes the file: where it cannot be made because somebody else has the name, that one stays.
        using IoTarget target = IoTarget.Open(side, options);
        try
        {
            Fill(target, 0, sizeBytes, requestSizeBytes, progress, cancellationToken);
            TimeSpan written = Stopwatch.GetElapsedTime(start);
            long flushStart = Stopwatch.GetTimestamp();
            target.Flush();
            return new CreationTiming(side, sizeBytes, written, Stopwatch.GetElapsedTime(flushStart), CpuMeter.ProcessTime() - cpu)
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

    /// <summary>Why the file system reserves nothing (ENOSYS, EOPNOTSUPP), asked for what the file has already; 0: it does.</summary>
    private static int PreallocationErrno(IoTarget target, long sizeBytes) =>
        CapabilityProbe.IsSupported && CapabilityProbe.Allocate(target.SafeFileHandle, 0, sizeBytes) is var errno and (38 or 95)
            ? errno
            : 0;
}

internal sealed record CreationTiming(IoSide Side, long SizeBytes, TimeSpan Write, TimeSpan Flush, TimeSpan Cpu)
{
    /// <summary>Why the file was not preallocated, though that was asked for; 0 where it was, or was not to be.</summary>
    public int PreallocationErrno { get; init; }
}
