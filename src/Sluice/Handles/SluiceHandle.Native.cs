using Sluice.Engines;
using Sluice.Errors;
using Sluice.Memory;

namespace Sluice;

// Scalar transfers to and from memory that is not .NET's: by address, without an object that stands for it.
public sealed partial class SluiceHandle
{
    /// <summary>What a span can be, and no border of a page or block lies within a piece of which all but the last are so long.</summary>
    private const int NativePieceBytes = 1 << 30;

    /// <summary>
    /// Reads at an offset into memory at an address, which nothing checks: it must be writable, and stay so until this returns. Returns how
    /// many bytes, fewer than asked only at the end of the file, or of what has no length (pipes, files of /proc); 0 behind the end.
    /// </summary>
    /// <param name="buffer">Address of the first byte: native memory, or .NET's that the caller keeps pinned.</param>
    /// <param name="length">How many bytes, at most <see cref="long.MaxValue"/>.</param>
    /// <param name="fileOffset">Where to read, in bytes; ignored by files that cannot seek.</param>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is 0, and <paramref name="length"/> is not.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="fileOffset"/> is negative, or the memory would reach beyond the last address.
    /// </exception>
    /// <inheritdoc cref="Read(Span{byte}, long)" path="/exception[position() > 1]"/>
    public long Read(nint buffer, nuint length, long fileOffset)
    {
        long total = CheckNative(buffer, length);
        long done = 0;
        while (true)
        {
            int piece = (int)Math.Min(total - done, NativePieceBytes);
            int bytes = Read(PinnedMemory.SpanOf(buffer + (nint)done, piece), fileOffset + done);
            done += bytes;
            if (bytes < piece || done == total || !CanSeek)
            {
                return done;
            }
        }
    }

    /// <summary>Writes all bytes at an address to an offset, or throws; nothing checks that the memory is there.</summary>
    /// <inheritdoc cref="Read(nint, nuint, long)" path="/param"/>
    /// <inheritdoc cref="Read(nint, nuint, long)" path="/exception[position() &lt; 3]"/>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, long)" path="/remarks"/>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, long)" path="/exception[position() > 1]"/>
    public void Write(nint buffer, nuint length, long fileOffset)
    {
        long total = CheckNative(buffer, length);
        long done = 0;
        do
        {
            int piece = (int)Math.Min(total - done, NativePieceBytes);
            Write(PinnedMemory.SpanOf(buffer + (nint)done, piece), fileOffset + done);
            done += piece;
        }
        while (done < total);
    }

    /// <summary>As <see cref="Read(nint, nuint, long)"/>; what lies in the page cache is there when this returns.</summary>
    /// <param name="buffer">
    /// Address of the first byte. The memory belongs to the transfer until the task has ended, cancellation included: who frees it before
    /// has the file's bytes in somebody else's memory.
    /// </param>
    /// <param name="length">How many bytes, at most <see cref="long.MaxValue"/>.</param>
    /// <param name="fileOffset">Where to read, in bytes; ignored by files that cannot seek.</param>
    /// <param name="cancellationToken">As that of <see cref="ReadAsync(Memory{byte}, long, CancellationToken)"/>.</param>
    /// <inheritdoc cref="ReadAsync(Memory{byte}, long, CancellationToken)" path="/remarks"/>
    /// <inheritdoc cref="Read(nint, nuint, long)" path="/exception"/>
    /// <exception cref="OperationCanceledException">The transfer was cancelled.</exception>
    public ValueTask<long> ReadAsync(nint buffer, nuint length, long fileOffset, CancellationToken cancellationToken = default)
    {
        long total = CheckNative(buffer, length);
        CheckOffset(fileOffset);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<long>(cancellationToken);
        }

        if (total == 0)
        {
            return ReadNothingAsync<long>(fileOffset);
        }

        int bytes = 0;
        if (MayReadInline(total, fileOffset) && ReadFromCache(PinnedMemory.SpanOf(buffer, (int)total), fileOffset, out bytes))
        {
            IoMetrics.Note(this, IoVerb.Read, Carrier.Inline, bytes);
            return new ValueTask<long>(bytes);
        }

        IoOperation operation = IoOperation.ForPinned(this, IoVerb.Read, buffer, total, fileOffset, bytes, cancellationToken);
        short version = operation.Version;
        operation.Start();
        return new ValueTask<long>(operation, version);
    }

    /// <summary>As <see cref="Write(nint, nuint, long)"/>, without waiting for the device.</summary>
    /// <inheritdoc cref="ReadAsync(nint, nuint, long, CancellationToken)" path="/param"/>
    /// <inheritdoc cref="WriteAsync(ReadOnlyMemory{byte}, long, CancellationToken)" path="/remarks"/>
    /// <inheritdoc cref="Write(nint, nuint, long)" path="/exception"/>
    /// <exception cref="OperationCanceledException">The transfer was cancelled; some of the bytes may have been written.</exception>
    public ValueTask WriteAsync(nint buffer, nuint length, long fileOffset, CancellationToken cancellationToken = default)
    {
        long total = CheckNative(buffer, length);
        CheckOffset(fileOffset);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        if (total == 0)
        {
            return ValueTask.CompletedTask;
        }

        int bytes = 0;
        if (MayWriteInline(total, fileOffset))
        {
            bytes = WriteInline(PinnedMemory.SpanOf(buffer, (int)total), fileOffset);
            if (bytes == total)
            {
                IoMetrics.Note(this, IoVerb.Write, Carrier.Inline, bytes);
                return ValueTask.CompletedTask;
            }

            if (bytes < 0)
            {
                return ValueTask.FromException(ErrorOf(-bytes, IoVerb.Write, fileOffset));
            }
        }

        IoOperation operation = IoOperation.ForPinned(this, IoVerb.Write, buffer, total, fileOffset, bytes, cancellationToken);
        short version = operation.Version;
        operation.Start();
        return new ValueTask(operation, version);
    }

    private static long CheckNative(nint buffer, nuint length)
    {
        if (length == 0)
        {
            return 0;
        }

        if (buffer == 0)
        {
            throw new ArgumentNullException(nameof(buffer));
        }

        nuint most = Math.Min(nuint.MaxValue - (nuint)buffer, (nuint)nint.MaxValue);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, most);
        return (long)length;
    }
}
