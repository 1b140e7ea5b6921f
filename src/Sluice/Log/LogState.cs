using System.Buffers.Binary;

namespace Sluice.Log;

/// <summary>What log.state says; see docs/log-format.md.</summary>
/// <param name="Durability">An append's by default.</param>
/// <param name="LogId">Of which log.</param>
/// <param name="DurableSequence">The last sequence known to be on the disk.</param>
/// <param name="ProcessId">Who writes, or wrote.</param>
/// <param name="SegmentId">The newest segment that has begun and is on the disk; 0 where it is not said.</param>
/// <param name="TookBack">Whether that one, or one before it, has taken records back.</param>
internal readonly record struct LogState(
    LogDurability Durability, Guid LogId, long DurableSequence, int ProcessId, long SegmentId = 0, bool TookBack = false)
{
    public const int Bytes = 64;

    private const int Tries = 20;
    private const byte Version = 1;

    private static ReadOnlySpan<byte> Magic => "SLUICEST"u8;

    /// <summary>Null where there is none, or none that is whole.</summary>
    /// <param name="path">The file.</param>
    /// <param name="report">Told where it is of another version; it throws, or null is the answer.</param>
    public static LogState? TryRead(string path, Action<SluiceLogDamagedException>? report = null)
    {
        try
        {
            using SluiceHandle file = LogFile.OpenToRead(path);
            LogState? state = TryRead(file, report);
            for (int i = 0; i < Tries && state is null && file.Length >= Bytes; i++)
            {
                // It is written over in place: what was read may be half of each.
                Thread.Yield();
                state = TryRead(file, report);
            }

            return state;
        }
        catch (Exception e) when (e is (IOException and not SluiceLogDamagedException) or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <inheritdoc cref="TryRead(string, Action{SluiceLogDamagedException})"/>
    public static LogState? TryRead(SluiceHandle file, Action<SluiceLogDamagedException>? report = null)
    {
        Span<byte> bytes = stackalloc byte[Bytes];
        if (file.Read(bytes, 0) < Bytes
            || !bytes[..8].SequenceEqual(Magic)
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes[60..]) != Crc32C.Append(Crc32C.Begin, bytes[..60]))
        {
            return null;
        }

        if (bytes[8] != Version)
        {
            string reason = $"it has version {bytes[8]}, and this build reads version {Version} alone. Open the log with a build that "
                + "reads it, or remove this file: then nothing says how far the log was on the disk, and a damaged end counts as torn";
            report?.Invoke(new SluiceLogDamagedException(file.Path, 8, 0, reason));
            return null;
        }

        if (bytes[9] > (byte)LogDurability.Durable)
        {
            return null;
        }

        return new LogState(
            (LogDurability)bytes[9],
            new Guid(bytes[16..32], bigEndian: true),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[32..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[40..]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[48..]),
            bytes[10] == 1);
    }

    public void Write(SluiceHandle file)
    {
        Span<byte> bytes = stackalloc byte[Bytes];
        bytes.Clear();
        Magic.CopyTo(bytes);
        bytes[8] = Version;
        bytes[9] = (byte)Durability;
        bytes[10] = TookBack ? (byte)1 : (byte)0;
        _ = LogId.TryWriteBytes(bytes[16..], bigEndian: true, out _);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[32..], DurableSequence);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[40..], ProcessId);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[48..], SegmentId);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[60..], Crc32C.Append(Crc32C.Begin, bytes[..60]));
        file.Write(bytes, 0);
    }
}

/// <summary>What the log's folder says of how far the log is durable, while it is written. It may say less: that is true, too.</summary>
/// <param name="write">Writes the last durable sequence there.</param>
/// <param name="flush">Has on the disk what was written.</param>
/// <param name="durable">What it says.</param>
/// <remarks>For one thread at a time; what is asked without a change may be asked by any.</remarks>
internal sealed class DurableMark(Action<long> write, Action flush, long durable)
{
    /// <summary>After how long one that could not be written is tried again.</summary>
    public const int AgainMs = 200;

    private long _said = durable;
    private long _lowered;

    /// <summary>Whether a tail was to be dropped, was not, and the disk may still say that less is durable.</summary>
    private bool _isLessOnDisk;

    /// <summary>The last sequence that it says to be durable, at least.</summary>
    public long Said => Volatile.Read(ref _said);

    /// <summary>How often it was to say less.</summary>
    public long Lowered => Volatile.Read(ref _lowered);

    /// <summary>Whether it says less than it could.</summary>
    public bool IsBehind(long durable) => Said < durable || Volatile.Read(ref _isLessOnDisk);

    /// <summary>
    /// Says that a sequence is durable. On the disk, where it had said less there: where the segment that was to take records back comes
    /// back with a power cut, the mark says that they were durable, and nobody takes their loss for the log's end.
    /// </summary>
    public void Write(long durable)
    {
        write(durable);
        Volatile.Write(ref _said, durable);
        if (_isLessOnDisk)
        {
            flush();
            Volatile.Write(ref _isLessOnDisk, false);
        }
    }

    /// <summary>Says on the disk that less is durable, before that is so.</summary>
    public void WriteLess(long durable)
    {
        // First: whatever comes of it, no more is said from here on.
        Volatile.Write(ref _said, Math.Min(Said, durable));
        Volatile.Write(ref _isLessOnDisk, true);
        Interlocked.Increment(ref _lowered);
        write(durable);
        flush();
    }

    /// <summary>Less is durable by now, as it says on the disk.</summary>
    public void AcceptLess() => Volatile.Write(ref _isLessOnDisk, false);

    /// <summary>Has on the disk what it says.</summary>
    public void Flush() => flush();
}
