using System.Runtime.InteropServices;

namespace Sluice;

/// <summary>One write of a <see cref="SluiceHandle.WriteBatch"/>: where to, what, and what came of it.</summary>
[StructLayout(LayoutKind.Auto)]
public struct WriteRequest
{
    /// <summary>Creates a request.</summary>
    public WriteRequest(long fileOffset, ReadOnlyMemory<byte> buffer)
    {
        FileOffset = fileOffset;
        Buffer = buffer;
    }

    /// <summary>Where to write, in bytes from the start of the file.</summary>
    public long FileOffset { get; set; }

    /// <summary>The bytes to write, all of them.</summary>
    public ReadOnlyMemory<byte> Buffer { get; set; }

    /// <summary>Result: how many bytes were written; fewer than the buffer holds only beside an <see cref="Error"/>.</summary>
    public int BytesWritten { get; set; }

    /// <summary>Result: what went wrong; null when nothing did.</summary>
    public Exception? Error { get; set; }
}
