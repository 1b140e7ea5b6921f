using System.Diagnostics;
using Sluice.Cli.Terminal;

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
    /// Creates the file anew, synchronously, request after request, and then flushes it; both are timed. One that does not become whole is
    /// removed.
    /// </summary>
    public static CreationTiming CreateTimed(
        IoSide side, TargetOptions options, long sizeBytes, int requestSizeBytes, Action<long>? progress,
        CancellationToken cancellationToken)
    {
        TimeSpan cpu = CpuMeter.ProcessTime();
        long start = Stopwatch.GetTimestamp();
        // Not within what removes the file: where it cannot be made because somebody else has the name, that one stays.
        IoTarget target = IoTarget.Open(side, options);
        try
        {
            using (target)
            {
                Fill(target, 0, sizeBytes, requestSizeBytes, progress, cancellationToken);
                TimeSpan written = Stopwatch.GetElapsedTime(start);
                long flushStart = Stopwatch.GetTimestamp();
                target.Flush();
                return new CreationTiming(side, sizeBytes, written, Stopwatch.GetElapsedTime(flushStart), CpuMeter.ProcessTime() - cpu);
            }
        }
        catch
        {
            File.Delete(options.Path);
            throw;
        }
    }
}

internal sealed record CreationTiming(IoSide Side, long SizeBytes, TimeSpan Write, TimeSpan Flush, TimeSpan Cpu);
