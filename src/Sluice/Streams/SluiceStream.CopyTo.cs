using Sluice.Memory;
using Sluice.Streams;

namespace Sluice;

// Copying to another stream in large pieces.
public sealed partial class SluiceStream
{
    /// <summary>Copies the bytes from the position of the stream to the end of the file to another stream.</summary>
    /// <param name="destination">The stream to copy to.</param>
    /// <param name="bufferSize">
    /// The preferred number of bytes to copy at once, greater than 0. A value below 256 KiB is treated as 256 KiB, and a value above 512
    /// KiB as 512 KiB.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="destination"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="bufferSize"/> is zero or negative.</exception>
    /// <exception cref="NotSupportedException">
    /// This stream does not support reading, or <paramref name="destination"/> does not support writing.
    /// </exception>
    /// <exception cref="ObjectDisposedException">This stream or <paramref name="destination"/> is closed.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    public override void CopyTo(Stream destination, int bufferSize)
    {
        CheckCopy(destination, bufferSize);
        MemoryLease piece = AlignedBufferPool.Rent(PieceOf(bufferSize));
        try
        {
            while (true)
            {
                int bytes = Read(piece.Array.AsSpan(piece.Start, piece.Length));
                if (bytes == 0)
                {
                    piece.Return();
                    return;
                }

                destination.Write(piece.Array, piece.Start, bytes);
            }
        }
        catch
        {
            // The failed stream may still use the memory.
            piece.LeaveToCollector();
            throw;
        }
    }

    /// <summary>Asynchronously copies the bytes from the position of the stream to the end of the file to another stream.</summary>
    /// <param name="destination">The stream to copy to.</param>
    /// <param name="bufferSize">
    /// The preferred number of bytes to copy at once, greater than 0. A value below 256 KiB is treated as 256 KiB, and a value above 512
    /// KiB as 512 KiB.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to cancel the copy. Bytes that were already copied stay in <paramref name="destination"/>.
    /// </param>
    /// <returns>A task that completes when all bytes are copied.</returns>
    /// <inheritdoc cref="CopyTo(Stream, int)" path="/exception"/>
    /// <exception cref="OperationCanceledException">The copy was canceled.</exception>
    public override Task CopyToAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        CheckCopy(destination, bufferSize);
        return cancellationToken.IsCancellationRequested
            ? Task.FromCanceled(cancellationToken)
            : CopyToSlowAsync(destination, bufferSize, cancellationToken);
    }

    private async Task CopyToSlowAsync(Stream destination, int bufferSize, CancellationToken cancellationToken)
    {
        MemoryLease piece = AlignedBufferPool.Rent(PieceOf(bufferSize));
        try
        {
            Memory<byte> memory = piece.MemoryAt(piece.Start, piece.Length);
            while (true)
            {
                int bytes = await ReadAsync(memory, cancellationToken).ConfigureAwait(false);
                if (bytes == 0)
                {
                    piece.Return();
                    return;
                }

                await destination.WriteAsync(memory[..bytes], cancellationToken).ConfigureAwait(false);
            }
        }
        catch
        {
            // The failed stream may still use the memory.
            piece.LeaveToCollector();
            throw;
        }
    }

    private void CheckCopy(Stream destination, int bufferSize)
    {
        ValidateCopyToArguments(destination, bufferSize);
        ThrowIfClosed();
        ThrowUnlessReadable();
    }

    /// <summary>
    /// Returns the size of a piece. A stream that cannot seek returns the data that is available, so a large piece does no harm.
    /// </summary>
    private static int PieceOf(int bufferSize) => Math.Clamp(bufferSize, AdaptiveSize.MaxDirect / 2, AdaptiveSize.MaxDirect);
}
