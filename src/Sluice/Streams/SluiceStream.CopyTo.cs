using Sluice.Memory;
using Sluice.Streams;

namespace Sluice;

// Copying to another stream, in pieces as large as are worth it.
public sealed partial class SluiceStream
{
    /// <summary>Copies from the position to the end of the file.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="bufferSize">Bytes at once, at least; larger pieces are used where they are quicker.</param>
    /// <inheritdoc cref="Stream.CopyTo(Stream, int)"/>
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
            // Whoever failed may still look at it.
            piece.LeaveToCollector();
            throw;
        }
    }

    /// <summary>Copies from the position to the end of the file.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="bufferSize">Bytes at once, at least; larger pieces are used where they are quicker.</param>
    /// <param name="cancellationToken">Asks to stop; what was copied stays copied.</param>
    /// <inheritdoc cref="Stream.CopyToAsync(Stream, int, CancellationToken)"/>
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
            // Whoever failed may still look at it.
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

    /// <summary>A stream that cannot seek gives what it has: no piece is too large for it.</summary>
    private static int PieceOf(int bufferSize) => Math.Clamp(bufferSize, AdaptiveSize.MaxRead, AdaptiveSize.MaxWrite);
}
