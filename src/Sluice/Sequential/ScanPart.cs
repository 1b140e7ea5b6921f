using System.Runtime.InteropServices;

namespace Sluice;

/// <summary>A part of a file that begins and ends at the border of a line or record; it stands until the callback returns.</summary>
[StructLayout(LayoutKind.Auto)]
public readonly ref struct ScanPart
{
    internal ScanPart(ReadOnlySpan<byte> bytes, long offset)
    {
        Bytes = bytes;
        Offset = offset;
    }

    /// <summary>Whole lines with their delimiters (the file's last may lack its own), or whole records.</summary>
    public ReadOnlySpan<byte> Bytes { get; }

    /// <summary>Where the part begins in the file.</summary>
    public long Offset { get; }
}
