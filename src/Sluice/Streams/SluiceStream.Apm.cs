namespace Sluice;

// The Begin/End forms of reading and writing.
public sealed partial class SluiceStream
{
    /// <summary>Begins an asynchronous read. New code should use <see cref="ReadAsync(Memory{byte}, CancellationToken)"/>.</summary>
    /// <param name="buffer">The array that receives the bytes. It must not be used until the read has ended.</param>
    /// <param name="offset">The index in <paramref name="buffer"/> of the first byte to store.</param>
    /// <param name="count">The maximum number of bytes to read.</param>
    /// <param name="callback">The method to call when the read has ended, or <see langword="null"/>.</param>
    /// <param name="state">An object that is passed on to <paramref name="callback"/>, or <see langword="null"/>.</param>
    /// <returns>An object to pass to <see cref="EndRead"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="offset"/> and <paramref name="count"/> do not specify a range of <paramref name="buffer"/>.
    /// </exception>
    /// <exception cref="NotSupportedException">The stream does not support reading.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public override IAsyncResult BeginRead(byte[] buffer, int offset, int count, AsyncCallback? callback, object? state)
    {
        ValidateBufferArguments(buffer, offset, count);
        ThrowIfClosed();
        ThrowUnlessReadable();
        return TaskToAsyncResult.Begin(ReadAsync(buffer, offset, count, CancellationToken.None), callback, state);
    }

    /// <summary>Waits for a read that <see cref="BeginRead"/> has begun.</summary>
    /// <param name="asyncResult">The object that <see cref="BeginRead"/> returned.</param>
    /// <returns>The number of bytes read; 0 at the end of the file.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="asyncResult"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="asyncResult"/> does not come from <see cref="BeginRead"/>.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    public override int EndRead(IAsyncResult asyncResult)
    {
        ArgumentNullException.ThrowIfNull(asyncResult);
        return TaskToAsyncResult.End<int>(asyncResult);
    }

    /// <summary>
    /// Begins an asynchronous write. New code should use <see cref="WriteAsync(ReadOnlyMemory{byte}, CancellationToken)"/>.
    /// </summary>
    /// <param name="buffer">The array that contains the bytes. It must not be changed until the write has ended.</param>
    /// <param name="offset">The index in <paramref name="buffer"/> of the first byte to write.</param>
    /// <param name="count">The number of bytes to write.</param>
    /// <param name="callback">The method to call when the write has ended, or <see langword="null"/>.</param>
    /// <param name="state">An object that is passed on to <paramref name="callback"/>, or <see langword="null"/>.</param>
    /// <returns>An object to pass to <see cref="EndWrite"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="buffer"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="offset"/> and <paramref name="count"/> do not specify a range of <paramref name="buffer"/>.
    /// </exception>
    /// <exception cref="NotSupportedException">The stream does not support writing.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public override IAsyncResult BeginWrite(byte[] buffer, int offset, int count, AsyncCallback? callback, object? state)
    {
        ValidateBufferArguments(buffer, offset, count);
        ThrowIfClosed();
        ThrowUnlessWritable();
        return TaskToAsyncResult.Begin(WriteAsync(buffer, offset, count, CancellationToken.None), callback, state);
    }

    /// <summary>Waits for a write that <see cref="BeginWrite"/> has begun.</summary>
    /// <param name="asyncResult">The object that <see cref="BeginWrite"/> returned.</param>
    /// <exception cref="ArgumentNullException"><paramref name="asyncResult"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="asyncResult"/> does not come from <see cref="BeginWrite"/>.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    public override void EndWrite(IAsyncResult asyncResult)
    {
        ArgumentNullException.ThrowIfNull(asyncResult);
        TaskToAsyncResult.End(asyncResult);
    }
}
