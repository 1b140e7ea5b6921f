using System.Runtime.InteropServices;
using Sluice.Engines;
using Sluice.Handles;

namespace Sluice;

/// <summary>Represents one read of a <see cref="SluiceHandle.ReadBatch"/> call, and its result.</summary>
/// <remarks>This type is mutable and not thread-safe.</remarks>
[StructLayout(LayoutKind.Auto)]
public struct ReadRequest : IBatchRequest
{
    /// <summary>Initializes a request.</summary>
    /// <param name="fileOffset">The offset in the file at which to read, in bytes.</param>
    /// <param name="buffer">The memory that receives the bytes.</param>
    public ReadRequest(long fileOffset, Memory<byte> buffer)
    {
        FileOffset = fileOffset;
        Buffer = buffer;
    }

    /// <summary>Gets or sets the offset in the file at which to read, in bytes. The default is 0.</summary>
    public long FileOffset { get; set; }

    /// <summary>Gets or sets the memory that receives the bytes. The default is empty.</summary>
    public Memory<byte> Buffer { get; set; }

    /// <summary>Gets or sets the number of bytes that were read. <see cref="SluiceHandle.ReadBatch"/> sets it.</summary>
    /// <remarks>
    /// The value is less than the length of <see cref="Buffer"/> in three cases: at the end of the file, for a file without a length, such
    /// as a file in /proc, and if <see cref="Error"/> is not <see langword="null"/>.
    /// </remarks>
    public int BytesRead { get; set; }

    /// <summary>
    /// Gets or sets the exception with which this request failed, or <see langword="null"/> if it succeeded.
    /// <see cref="SluiceHandle.ReadBatch"/> sets it.
    /// </summary>
    public Exception? Error { get; set; }

    int IBatchRequest.Bytes
    {
        set => BytesRead = value;
    }

    void IBatchRequest.Run(SluiceHandle handle) => BytesRead = handle.Read(Buffer.Span, FileOffset);

    bool IBatchRequest.Fill(SluiceHandle handle, ref BatchEntry entry) => handle.Fill(ref this, ref entry);

    void IBatchRequest.Take(SluiceHandle handle, in BatchEntry entry) => handle.Take(ref this, entry);
}
