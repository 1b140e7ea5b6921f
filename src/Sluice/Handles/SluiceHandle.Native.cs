using Sluice.Engines;
using Sluice.Errors;
using Sluice.Memory;

namespace Sluice;

// Transfers to and from native memory, without an object that represents it.
public sealed partial class SluiceHandle
{
    /// <summary>
    /// The size of a piece, in bytes. A span cannot be longer than 2 GiB, and this size is a multiple of all page and block sizes.
    /// </summary>
    private const int NativePieceBytes = 1 << 30;

    /// <summary>Reads bytes from the specified offset into native memory.</summary>
    /// <param name="buffer">
    /// The address of the first byte, in native memory or in managed memory that is pinned. The caller must keep the memory valid and
    /// writable until this method returns.
    /// </param>
    /// <param name="length">The number of bytes to read, at most <see cref="long.MaxValue"/>.</param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <returns>
    /// The number of bytes read; 0 at or after the end of the file. It is less than <paramref name="length"/> only at the end of the file,
    /// or for a file without a length, such as a pipe or a file in /proc.
    /// </returns>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is 0, and <paramref name="length"/> is not.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <para><paramref name="fileOffset"/> is negative, and the file can seek.</para>
    /// <para>-or-</para>
    /// <para>
    /// <paramref name="length"/> is greater than <see cref="long.MaxValue"/>, or <paramref name="buffer"/> + <paramref name="length"/>
    /// exceeds the address space.
    /// </para>
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for reading.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
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

    /// <summary>Writes all bytes of a range of native memory at the specified offset.</summary>
    /// <param name="buffer">
    /// The address of the first byte, in native memory or in managed memory that is pinned. The caller must keep the memory valid and
    /// readable until this method returns.
    /// </param>
    /// <param name="length">The number of bytes to write, at most <see cref="long.MaxValue"/>.</param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <remarks>
    /// If the operating system handle was opened with O_APPEND, the bytes are written at the end of the file; see
    /// <see cref="Write(ReadOnlySpan{byte}, long)"/>.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is 0, and <paramref name="length"/> is not.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <para><paramref name="fileOffset"/> is negative, and the file can seek.</para>
    /// <para>-or-</para>
    /// <para>
    /// <paramref name="length"/> is greater than <see cref="long.MaxValue"/>, or <paramref name="buffer"/> + <paramref name="length"/>
    /// exceeds the address space.
    /// </para>
    /// <para>-or-</para>
    /// <para>The file would become larger than the file system allows.</para>
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error. Some of the bytes may have been written.</exception>
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

    /// <summary>Asynchronously reads bytes from the specified offset into native memory.</summary>
    /// <param name="buffer">
    /// The address of the first byte, in native memory or in managed memory that is pinned. The memory must not be freed or unpinned until
    /// the returned task has completed, even after a cancellation. Otherwise the read can overwrite other data.
    /// </param>
    /// <param name="length">The number of bytes to read, at most <see cref="long.MaxValue"/>.</param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <param name="cancellationToken">
    /// The token to cancel the read. For its effect, see <see cref="ReadAsync(Memory{byte}, long, CancellationToken)"/>.
    /// </param>
    /// <returns>A task whose result is the number of bytes read, as for <see cref="Read(nint, nuint, long)"/>.</returns>
    /// <remarks>
    /// This method can copy up to 1 MiB from the page cache on the calling thread. It waits for the device there in the last two cases of
    /// <see cref="ReadAsync(Memory{byte}, long, CancellationToken)"/>.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is 0, and <paramref name="length"/> is not.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <para><paramref name="fileOffset"/> is negative, and the file can seek.</para>
    /// <para>-or-</para>
    /// <para>
    /// <paramref name="length"/> is greater than <see cref="long.MaxValue"/>, or <paramref name="buffer"/> + <paramref name="length"/>
    /// exceeds the address space.
    /// </para>
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for reading.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="OperationCanceledException">The read was canceled.</exception>
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
        if (MayReadInline(total, fileOffset) && TryReadHere(PinnedMemory.SpanOf(buffer, (int)total), fileOffset, out bytes))
        {
            return new ValueTask<long>(bytes);
        }

        return IoOperation.ForPinned(this, IoVerb.Read, buffer, total, fileOffset, bytes, cancellationToken).StartLongTask();
    }

    /// <summary>Asynchronously writes all bytes of a range of native memory at the specified offset.</summary>
    /// <param name="buffer">
    /// The address of the first byte, in native memory or in managed memory that is pinned. The memory must not be changed, freed or
    /// unpinned until the returned task has completed, even after a cancellation.
    /// </param>
    /// <param name="length">The number of bytes to write, at most <see cref="long.MaxValue"/>.</param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <param name="cancellationToken">
    /// The token to cancel the write. For its effect, see <see cref="WriteAsync(ReadOnlyMemory{byte}, long, CancellationToken)"/>.
    /// </param>
    /// <returns>A task that completes when all bytes are written.</returns>
    /// <remarks>
    /// This method can copy up to 1 MiB into the page cache on the calling thread, under the same conditions as
    /// <see cref="WriteAsync(ReadOnlyMemory{byte}, long, CancellationToken)"/>.
    /// </remarks>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is 0, and <paramref name="length"/> is not.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <para><paramref name="fileOffset"/> is negative, and the file can seek.</para>
    /// <para>-or-</para>
    /// <para>
    /// <paramref name="length"/> is greater than <see cref="long.MaxValue"/>, or <paramref name="buffer"/> + <paramref name="length"/>
    /// exceeds the address space.
    /// </para>
    /// <para>-or-</para>
    /// <para>The file would become larger than the file system allows.</para>
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error. Some of the bytes may have been written.</exception>
    /// <exception cref="OperationCanceledException">The write was canceled. Some of the bytes may have been written.</exception>
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

        int bytes = total <= InlineLimit ? TryWriteHere(PinnedMemory.SpanOf(buffer, (int)total), fileOffset) : 0;
        if (bytes == total)
        {
            return ValueTask.CompletedTask;
        }

        if (bytes < 0)
        {
            return ValueTask.FromException(ErrorOf(-bytes, IoVerb.Write, fileOffset));
        }

        return IoOperation.ForPinned(this, IoVerb.Write, buffer, total, fileOffset, bytes, cancellationToken).StartTask();
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
