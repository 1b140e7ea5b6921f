using System.Runtime.InteropServices;
using Sluice.Engines;
using Sluice.Handles;

namespace Sluice;

/// <summary>Represents one write of a <see cref="SluiceHandle.WriteBatch"/> call, and its result.</summary>
/// <remarks>This type is mutable and not thread-safe.</remarks>
[StructLayout(LayoutKind.Auto)]
public struct WriteRequest : IBatchRequest
{
    /// <summary>Initializes a request.</summary>
    /// <param name="fileOffset">The offset in the file at which to write, in bytes.</param>
    /// <param name="buffer">The bytes to write.</param>
    public WriteRequest(long fileOffset, ReadOnlyMemory<byte> buffer)
    {
        FileOffset = fileOffset;
        Buffer = buffer;
    }

    /// <summary>Gets or sets the offset in the file at which to write, in bytes. The default is 0.</summary>
    public long FileOffset { get; set; }

    /// <summary>Gets or sets the bytes to write. The default is empty.</summary>
    public ReadOnlyMemory<byte> Buffer { get; set; }

    /// <summary>Gets or sets the number of bytes that have certainly been written. <see cref="SluiceHandle.WriteBatch"/> sets it.</summary>
    /// <remarks>
    /// The value is less than the length of <see cref="Buffer"/> only if <see cref="Error"/> is not <see langword="null"/>. In that case,
    /// more bytes may have been written.
    /// </remarks>
    public int BytesWritten { get; set; }

    /// <summary>
    /// Gets or sets the exception with which this request failed, or <see langword="null"/> if it succeeded.
    /// <see cref="SluiceHandle.WriteBatch"/> sets it.
    /// </summary>
    public Exception? Error { get; set; }

    int IBatchRequest.Bytes
    {
        set => BytesWritten = value;
    }

    void IBatchRequest.Run(SluiceHandle handle)
    {
        ReadOnlySpan<byte> bytes = Buffer.Span;
        handle.Write(bytes, FileOffset);
        BytesWritten = bytes.Length;
    }

    bool IBatchRequest.Fill(SluiceHandle handle, ref BatchEntry entry) => handle.Fill(ref this, ref entry);

    void IBatchRequest.Take(SluiceHandle handle, in BatchEntry entry) => handle.Take(ref this, entry);
}
