using System.Buffers.Binary;
using Sluice.Log.Frames;

namespace Sluice.Log.Folders;

/// <summary>The content of log.state; see docs/log-format.md.</summary>
/// <param name="Durability">The default durability of an append.</param>
/// <param name="LogId">The log's id.</param>
/// <param name="DurableSequence">The last sequence number that is known to be on the disk.</param>
/// <param name="ProcessId">The id of the process that wrote the file.</param>
/// <param name="Boot">A checksum of the boot id of the machine on which the file was written; 0 if unknown.</param>
/// <param name="LargestId">The largest id that a segment has had. New segments get larger ids.</param>
internal readonly record struct LogState(
    LogDurability Durability,
    Guid LogId,
    long DurableSequence,
    int ProcessId,
    uint Boot = 0,
    long LargestId = 0)
{
    private const string BootIdPath = "/proc/sys/kernel/random/boot_id";

    public const int Bytes = 64;

    private const int Tries = 20;
    private const byte Version = 1;

    private static ReadOnlySpan<byte> Magic => "SLUICEST"u8;

    /// <summary>The checksum of this machine's boot id; 0 if unknown.</summary>
    public static uint CurrentBoot { get; } = ReadBoot();

    /// <summary>
    /// Returns true if the machine may have been restarted since a state was written. Without a restart, the operating system has kept all
    /// that was written, in the order in which it was written.
    /// </summary>
    public static bool MayBeOfEarlierBoot(LogState? state) =>
        state is not { Boot: not 0 and uint boot } || CurrentBoot == 0 || boot != CurrentBoot;

    /// <summary>Reads a state file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="reason">The reason why an existing file could not be read; null if it was read, is too short or does not exist.</param>
    /// <returns>The state; null if the file could not be read, is too short or does not exist.</returns>
    public static LogState? TryRead(string path, out string? reason)
    {
        reason = null;
        try
        {
            using SluiceHandle file = LogFile.OpenToRead(path);
            for (int i = 0; i < Tries && file.Length >= Bytes; i++)
            {
                // The file is overwritten in place: the bytes that were read may be parts of two states, and are read again.
                if (TryRead(file, out reason) is { } state)
                {
                    return state;
                }

                Thread.Yield();
            }
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            reason = $"it cannot be read, and nothing says which records are durable ({e.Message.TrimEnd('.')})";
        }

        return null;
    }

    /// <inheritdoc cref="TryRead(string, out string?)"/>
    public static LogState? TryRead(string path) => TryRead(path, out _);

    /// <inheritdoc cref="TryRead(string, out string?)"/>
    /// <exception cref="NotSupportedException">The file has another version.</exception>
    public static LogState? TryRead(SluiceHandle file, out string? reason)
    {
        reason = "it is damaged, and nothing says which records are durable";
        Span<byte> bytes = stackalloc byte[Bytes];
        if (file.Read(bytes, 0) < Bytes
            || !bytes[..8].SequenceEqual(Magic)
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes[60..]) != Crc32C.Append(Crc32C.Begin, bytes[..60]))
        {
            return null;
        }

        if (bytes[8] != Version)
        {
            throw new NotSupportedException(
                $"'{file.Path}' has version {bytes[8]}, and this build reads only version {Version}. Open the log with a build that reads "
                + "it, or delete this file: without it, the next Open treats a damaged end of the log as an incomplete write.");
        }

        if (bytes[9] > (byte)LogDurability.Durable)
        {
            return null;
        }

        reason = null;
        return new LogState(
            (LogDurability)bytes[9],
            new Guid(bytes[16..32], bigEndian: true),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[32..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[40..]),
            BinaryPrimitives.ReadUInt32LittleEndian(bytes[44..]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[48..]) + BinaryPrimitives.ReadUInt32LittleEndian(bytes[56..]));
    }

    public void Write(SluiceHandle file)
    {
        Span<byte> bytes = stackalloc byte[Bytes];
        bytes.Clear();
        Magic.CopyTo(bytes);
        bytes[8] = Version;
        bytes[9] = (byte)Durability;
        _ = LogId.TryWriteBytes(bytes[16..], bigEndian: true, out _);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[32..], DurableSequence);
        BinaryPrimitives.WriteInt32LittleEndian(bytes[40..], ProcessId);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[44..], Boot);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[48..], LargestId);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[60..], Crc32C.Append(Crc32C.Begin, bytes[..60]));
        LogFile.Write(file, bytes, 0);
    }

    private static uint ReadBoot()
    {
        try
        {
            return OperatingSystem.IsLinux() ? Math.Max(1, Crc32C.Append(Crc32C.Begin, File.ReadAllBytes(BootIdPath))) : 0;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }
}
