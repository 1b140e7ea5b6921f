using Sluice.Engines;

namespace Sluice;

// The Begin/End forms of reading and writing.
public sealed partial class SluiceStream
{
    /// <inheritdoc/>
    public override IAsyncResult BeginRead(byte[] buffer, int offset, int count, AsyncCallback? callback, object? state)
    {
        ValidateBufferArguments(buffer, offset, count);
        ThrowIfClosed();
        ThrowUnlessReadable();
        return TaskToAsyncResult.Begin(ReadAsync(buffer, offset, count, CancellationToken.None), callback, state);
    }

    /// <inheritdoc/>
    public override int EndRead(IAsyncResult asyncResult)
    {
        ArgumentNullException.ThrowIfNull(asyncResult);
        Task<int> read = TaskToAsyncResult.Unwrap<int>(asyncResult);
        PoolWork.Wait(read);
        return read.GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    public override IAsyncResult BeginWrite(byte[] buffer, int offset, int count, AsyncCallback? callback, object? state)
    {
        ValidateBufferArguments(buffer, offset, count);
        ThrowIfClosed();
        ThrowUnlessWritable();
        return TaskToAsyncResult.Begin(WriteAsync(buffer, offset, count, CancellationToken.None), callback, state);
    }

    /// <inheritdoc/>
    public override void EndWrite(IAsyncResult asyncResult)
    {
        ArgumentNullException.ThrowIfNull(asyncResult);
        Task write = TaskToAsyncResult.Unwrap(asyncResult);
        PoolWork.Wait(write);
        write.GetAwaiter().GetResult();
    }
}
