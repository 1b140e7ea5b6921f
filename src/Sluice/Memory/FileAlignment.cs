using System.Runtime.InteropServices;

namespace Sluice;

/// <summary>
/// What a transfer must be a multiple of to go to the device without a copy; 1, 1, 1 on a handle that is not direct. Transfers that
/// are not aligned work all the same, through a buffer of Sluice's own.
/// </summary>
/// <param name="Memory">Alignment of the buffer's address, in bytes.</param>
/// <param name="Offset">Alignment of the file offset, in bytes.</param>
/// <param name="Length">Alignment of the number of bytes.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct FileAlignment(int Memory, int Offset, int Length)
{
    /// <summary>No alignment is asked for.</summary>
    public static FileAlignment None { get; } = new(1, 1, 1);

    internal bool IsAligned(nint address, long offset, long length) =>
        ((address & (Memory - 1)) | (nint)(offset & (Offset - 1)) | (nint)(length & (Length - 1))) == 0;
}
