using System.Runtime.InteropServices;

namespace Sluice;

/// <summary>Describes the alignment that a direct transfer must have to reach the device without an intermediate copy.</summary>
/// <param name="Memory">The alignment of the buffer's address, in bytes.</param>
/// <param name="Offset">The alignment of the offset in the file, in bytes.</param>
/// <param name="Length">The alignment of the length of the transfer, in bytes.</param>
/// <remarks>
/// <para>
/// All three values are 1 for a handle that does not use direct I/O. Transfers that are not aligned are supported: Sluice copies them
/// through a buffer of its own.
/// </para>
/// <para>
/// The values come from STATX_DIOALIGN of statx(2). Where the kernel does not report it (before Linux 6.1), they are the logical block size
/// of the device, or 4096 if that is unknown.
/// </para>
/// <para>This type is immutable and therefore thread-safe.</para>
/// </remarks>
[StructLayout(LayoutKind.Auto)]
public readonly record struct FileAlignment(int Memory, int Offset, int Length)
{
    /// <summary>Gets the alignment of a handle without direct I/O, in which all three values are 1.</summary>
    public static FileAlignment None { get; } = new(1, 1, 1);

    internal bool IsAligned(nint address, long offset, long length) =>
        ((address & (Memory - 1)) | (nint)(offset & (Offset - 1)) | (nint)(length & (Length - 1))) == 0;
}
