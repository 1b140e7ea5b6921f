using System.Runtime.InteropServices;

namespace Sluice;

/// <summary>One read of a <see cref="SluiceHandle.ReadBatch"/>: where from, where to, and what came of it.</summary>
[StructLayout(LayoutKind.Auto)]
public struct ReadRequest
{
    /// <summary>Creates a request.</summary>
    public ReadRequest(long fileOffset, Memory<byte> buffer)
    {
        FileOffset = fileOffset;
        Buffer = buffer;
    }

    /// <summary>Where to read, in bytes from the start of the file.</summary>
    public long FileOffset { get; set; }

    /// <summary>Where the bytes go.</summary>
    public Memory<byte> Buffer { get; set; }

    /// <summary>Result: how many bytes were read; fewer than asked only at the end of the file, or of a file of /proc.</summary>
    public int BytesRead { get; set; }

    /// <summary>Result: what went wrong; null when nothing did.</summary>
    public Exception? Error { get; set; }
}
