using System.Runtime.InteropServices;

namespace Sluice;

/// <summary>Specifies properties of a <see cref="FileExtent"/>.</summary>
/// <remarks>
/// The values are those of the FIEMAP_EXTENT_* constants of Linux (Documentation/filesystems/fiemap.rst of the kernel). A value can contain
/// bits that have no name in this enumeration.
/// </remarks>
[Flags]
public enum FileExtentFlags
{
    /// <summary>The extent contains written data at a known location.</summary>
    None = 0,

    /// <summary>The extent is the last one of the file.</summary>
    Last = 0x1,

    /// <summary>The location of the extent on the device is not known.</summary>
    Unknown = 0x2,

    /// <summary>The data is in the page cache, and the file system has not yet allocated space for it on the device.</summary>
    DelayedAllocation = 0x4,

    /// <summary>The data is compressed or encoded in another way.</summary>
    Encoded = 0x8,

    /// <summary>The data is stored in the metadata of the file.</summary>
    Inline = 0x200,

    /// <summary>The space is allocated but not yet written. It reads as zeros.</summary>
    Unwritten = 0x800,

    /// <summary>The file system does not store this file in extents. This extent represents several adjacent blocks.</summary>
    Merged = 0x1000,

    /// <summary>The space is shared with another file, for example after a reflink copy.</summary>
    Shared = 0x2000,
}

/// <summary>Describes a contiguous range of a file and its location on the device.</summary>
/// <param name="Offset">The offset of the range in the file, in bytes.</param>
/// <param name="PhysicalOffset">
/// The offset of the range on the device, in bytes. It has no meaning if <paramref name="Flags"/> contains
/// <see cref="FileExtentFlags.Unknown"/>.
/// </param>
/// <param name="Length">The length of the range, in bytes.</param>
/// <param name="Flags">The properties of the range.</param>
/// <remarks>
/// <see cref="SluiceHandle.GetExtents"/> returns the extents of a file. This type is immutable and therefore thread-safe.
/// </remarks>
[StructLayout(LayoutKind.Auto)]
public readonly record struct FileExtent(long Offset, long PhysicalOffset, long Length, FileExtentFlags Flags);
