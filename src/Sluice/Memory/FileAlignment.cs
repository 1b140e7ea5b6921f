using System.Runtime.InteropServices;

namespace Sluice;

/// <summary>Describes the alignment that a direct transfer needs to avoid an intermediate copy.</summary>
/// <param name="Memory">The alignment of the buffer's address, in bytes.</param>
/// <param name="Offset">The alignment of the offset in the file, in bytes.</param>
/// <param name="Length">The alignment of the length of the transfer, in bytes.</param>
/// <remarks>
/// <para>
/// All three values are 1 for a handle that does not use <see cref="FileCaching.Direct"/>. Transfers that are not aligned are supported;
/// Sluice copies their data through a buffer.
/// </para>
/// <para>
/// The values come from STATX_DIOALIGN of statx(2). If the kernel does not report it (before Linux 6.1), the values are the logical block
/// size of the device, or 4096 if that size is unknown.
/// </para>
/// <para>This type is immutable and therefore thread-safe.</para>
/// </remarks>
[StructLayout(LayoutKind.Auto)]
public readonly record struct FileAlignment(int Memory, int Offset, int Length)
{
    /// <summary>Gets the alignment of a handle without direct I/O, in which all three values are 1.</summary>
    public static FileAlignment None => new(1, 1, 1);

    internal bool IsAligned(nint address, long offset, long length) =>
        ((address & (Memory - 1)) | (nint)(offset & (Offset - 1)) | (nint)(length & (Length - 1))) == 0;
}
