using System.Runtime.InteropServices;

namespace Sluice;

/// <summary>What is special about an extent (FIEMAP_EXTENT_*, Linux).</summary>
[Flags]
public enum FileExtentFlags
{
    /// <summary>Nothing: written data at a known place.</summary>
    None = 0,

    /// <summary>The file's last extent.</summary>
    Last = 0x1,

    /// <summary>The place on the device is not known.</summary>
    Unknown = 0x2,

    /// <summary>Written to the page cache, and not yet given a place.</summary>
    DelayedAllocation = 0x4,

    /// <summary>Compressed or otherwise encoded.</summary>
    Encoded = 0x8,

    /// <summary>Lies in the file's metadata.</summary>
    Inline = 0x200,

    /// <summary>Preallocated: reads as zeros until it is written.</summary>
    Unwritten = 0x800,

    /// <summary>Put together of neighbouring blocks: the file system keeps no extents of this file.</summary>
    Merged = 0x1000,

    /// <summary>Shared with another file (reflink).</summary>
    Shared = 0x2000,
}

/// <summary>One contiguous piece of a file on its device.</summary>
/// <param name="Offset">Where the piece begins in the file, in bytes.</param>
/// <param name="PhysicalOffset">Where it begins on the device, in bytes.</param>
/// <param name="Length">How long it is, in bytes.</param>
/// <param name="Flags">What is special about it.</param>
[StructLayout(LayoutKind.Auto)]
public readonly record struct FileExtent(long Offset, long PhysicalOffset, long Length, FileExtentFlags Flags);
