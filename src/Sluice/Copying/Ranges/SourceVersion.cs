using System.Buffers.Binary;
using System.Runtime.Versioning;
using System.Security.Cryptography;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying.Ranges;

/// <summary>
/// Of which version of a source something is a part: told by its length, and the times of its last write and last change, which all
/// machines see alike. The number of the file is no part of it, since some file systems give it a different one on each machine; whatever
/// takes a file's place has another time of change.
/// </summary>
[SupportedOSPlatform("linux")]
internal static class SourceVersion
{
    /// <summary>A hash of the version, and of how it is divided.</summary>
    public static byte[] Of(in Statx source, long rangeBytes)
    {
        Span<byte> bytes = stackalloc byte[6 * sizeof(long)];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, source.Size);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[8..], source.Mtime.Seconds);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[16..], source.Mtime.Nanoseconds);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[24..], source.Ctime.Seconds);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[32..], source.Ctime.Nanoseconds);
        BinaryPrimitives.WriteInt64LittleEndian(bytes[40..], rangeBytes);
        return SHA256.HashData(bytes);
    }

    /// <summary>
    /// Whether a name leads to a version still: 0, <see cref="CopyErrors.SourceChanged"/>, or a negative errno. The file is opened anew for
    /// it, since a machine may know better then what others have written (NFS).
    /// </summary>
    public static int Look(in Statx before, in NodePath source)
    {
        using Descriptor opened = new(PathCalls.OpenUnwaiting(source, PathCalls.ReadOnly | PathCalls.NoFollowFlag));
        int result = opened.Fd < 0 ? opened.Fd : Libc.Stat(opened.Fd, StatxMask.BasicStats, out Statx now) is < 0 and int error ? error
            : IsSame(before, now) ? 0
            : CopyErrors.SourceChanged;
        return result == -Errno.ENOENT ? CopyErrors.SourceChanged : result;
    }

    /// <exception cref="IOException">It is another by now.</exception>
    public static void ThrowIfChanged(in Statx before, in NodePath source)
    {
        int result = Look(before, source);
        if (result == CopyErrors.SourceChanged)
        {
            throw Changed(source);
        }

        PathErrors.ThrowIfFailed(result, "Looking at the source", source.Text);
    }

    public static IOException Changed(in NodePath source) =>
        new($"Copying '{source.Text}' failed: it was written meanwhile; its shard has to be run again.");

    /// <summary>There is what shards have written, and nothing that they have written of this version in ranges of this length.</summary>
    public static IOException NotDividedSo(in NodePath source) =>
        new($"Finishing the copy of '{source.Text}' failed: it was written meanwhile, or its shards were given ranges of another length; "
            + "they have to be run again.");

    private static bool IsSame(in Statx one, in Statx other) =>
        one.Size == other.Size
        && one.Mtime.Seconds == other.Mtime.Seconds
        && one.Mtime.Nanoseconds == other.Mtime.Nanoseconds
        && one.Ctime.Seconds == other.Ctime.Seconds
        && one.Ctime.Nanoseconds == other.Ctime.Nanoseconds;
}
