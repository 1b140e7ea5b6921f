using System.Runtime.InteropServices;

namespace Sluice;

/// <summary>Represents a part of a file that begins and ends at a line or record boundary.</summary>
/// <remarks>A part is valid until the <see cref="ScanCallback{TResult}"/> that received it returns.</remarks>
[StructLayout(LayoutKind.Auto)]
public readonly ref struct ScanPart
{
    internal ScanPart(ReadOnlySpan<byte> bytes, long offset)
    {
        Bytes = bytes;
        Offset = offset;
    }

    /// <summary>
    /// Gets the bytes of the part. They consist of complete lines, including their delimiters, or of complete records. The last
    /// line of the file may lack its delimiter.
    /// </summary>
    public ReadOnlySpan<byte> Bytes { get; }

    /// <summary>Gets the offset of the part, in bytes from the start of the file.</summary>
    public long Offset { get; }
}
