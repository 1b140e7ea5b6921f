using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Kept;

/// <summary>How far log.memory and what it names have come.</summary>
internal enum MemoryStage : byte
{
    /// <summary>The memory is there or not, and has no record.</summary>
    Made = 1,

    /// <summary>It is there, and may have records that the files do not have.</summary>
    InUse = 2,

    /// <summary>It is there or not, and the files have all of its records.</summary>
    Ended = 3,
}

/// <summary>What log.memory says. The memory is one of a boot of the machine, and of an IPC namespace.</summary>
internal record struct MemoryMark(MemoryStage Stage, Guid LogId, Guid Boot, ulong Namespace, int Key)
{
    private const int FileBytes = 64;
    private const byte Version = 1;

    private static ReadOnlySpan<byte> Magic => "SLUICEMF"u8;

    /// <summary>False where the file says nothing that can be believed: a power cut may have left it so.</summary>
    /// <exception cref="SluiceLogDamagedException">It is of another version.</exception>
    public static bool TryRead(SluiceHandle file, out MemoryMark mark)
    {
        Span<byte> bytes = stackalloc byte[FileBytes];
        mark = default;
        if (file.Read(bytes, 0) < FileBytes
            || !bytes[..8].SequenceEqual(Magic)
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes[60..]) != Crc32C.Append(Crc32C.Begin, bytes[..60]))
        {
            return false;
        }

        if (bytes[8] != Version)
        {
            throw new SluiceLogDamagedException(
                file.Path, 8, 0,
                $"it has version {bytes[8]}, and this build reads version {Version} alone: open the log with one that reads it");
        }

        mark = new MemoryMark(
            (MemoryStage)bytes[9],
            new Guid(bytes[16..32], bigEndian: true),
            new Guid(bytes[32..48], bigEndian: true),
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[48..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[12..]));
        return true;
    }

    public readonly void Write(SluiceHandle file)
    {
        Span<byte> bytes = stackalloc byte[FileBytes];
        bytes.Clear();
        Magic.CopyTo(bytes);
        bytes[8] = Version;
        bytes[9] = (byte)Stage;
        BinaryPrimitives.WriteInt32LittleEndian(bytes[12..], Key);
        _ = LogId.TryWriteBytes(bytes[16..], bigEndian: true, out _);
        _ = Boot.TryWriteBytes(bytes[32..], bigEndian: true, out _);
        BinaryPrimitives.WriteUInt64LittleEndian(bytes[48..], Namespace);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes[60..], Crc32C.Append(Crc32C.Begin, bytes[..60]));
        LogFile.Write(file, bytes, 0);
    }

    /// <summary>Says which boot and which IPC namespace this is; false where /proc does not say it.</summary>
    public bool TryLocate()
    {
        try
        {
            // "ipc:[4026531839]"
            ReadOnlySpan<char> link = new FileInfo("/proc/self/ns/ipc").LinkTarget;
            if (Guid.TryParse(File.ReadAllText("/proc/sys/kernel/random/boot_id"), out Guid boot)
                && ulong.TryParse(link[(link.IndexOf('[') + 1)..].TrimEnd(']'), CultureInfo.InvariantCulture, out ulong number))
            {
                (Boot, Namespace) = (boot, number);
                return true;
            }

            return false;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>Another key, which nobody can foresee.</summary>
    public void ChooseKey()
    {
        int key = 0;
        while (key == 0)
        {
            NodeCalls.FillRandom(MemoryMarshal.AsBytes(new Span<int>(ref key)));
        }

        Key = key;
    }
}
