namespace Sluice;

/// <summary>Scatter/gather: one file range, many buffers. Any number of segments, empty ones too, and more than 2 GiB in all.</summary>
public sealed partial class SluiceHandle
{
    /// <summary>Reads one range of the file into the buffers, one after another; returns how many bytes.</summary>
    /// <exception cref="ArgumentNullException"><paramref name="buffers"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="fileOffset"/> is negative.</exception>
    public long Read(IReadOnlyList<Memory<byte>> buffers, long fileOffset)
    {
        ArgumentNullException.ThrowIfNull(buffers);
        CheckOffset(fileOffset);
        if (TryReadVectorInline(buffers, fileOffset, wait: true, out long bytes))
        {
            return bytes;
        }

        return Wait(StartReadVector(buffers, fileOffset, CancellationToken.None));
    }

    /// <summary>Writes all of the buffers, one after another, into one range of the file, or throws.</summary>
    /// <exception cref="ArgumentNullException"><paramref name="buffers"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="fileOffset"/> is negative.</exception>
    public void Write(IReadOnlyList<ReadOnlyMemory<byte>> buffers, long fileOffset)
    {
        ArgumentNullException.ThrowIfNull(buffers);
        CheckOffset(fileOffset);
        if (!TryWriteVectorInline(buffers, fileOffset, timed: false))
        {
            Wait(StartWriteVector(buffers, fileOffset, CancellationToken.None));
        }
    }

    /// <summary>As <see cref="Read(IReadOnlyList{Memory{byte}}, long)"/>; list and buffers belong to the transfer until the task has ended.</summary>
    public ValueTask<long> ReadAsync(IReadOnlyList<Memory<byte>> buffers, long fileOffset, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(buffers);
        CheckOffset(fileOffset);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<long>(cancellationToken);
        }

        return TryReadVectorInline(buffers, fileOffset, wait: false, out long bytes)
            ? new ValueTask<long>(bytes)
            : StartReadVector(buffers, fileOffset, cancellationToken);
    }

    /// <summary>As <see cref="Write(IReadOnlyList{ReadOnlyMemory{byte}}, long)"/>; list and buffers belong to the transfer until the task has ended.</summary>
    public ValueTask WriteAsync(
        IReadOnlyList<ReadOnlyMemory<byte>> buffers, long fileOffset, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(buffers);
        CheckOffset(fileOffset);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        return WritePace.AllowsInline && TryWriteVectorInline(buffers, fileOffset, timed: true)
            ? ValueTask.CompletedTask
            : StartWriteVector(buffers, fileOffset, cancellationToken);
    }

    private ValueTask<long> StartReadVector(IReadOnlyList<Memory<byte>> buffers, long fileOffset, CancellationToken cancellationToken)
    {
        long total = 0;
        for (int i = 0; i < buffers.Count; i++)
        {
            total += buffers[i].Length;
        }

        if (total == 0)
        {
            return ReadNothingAsync<long>(fileOffset);
        }

        IoOperation operation = IoOperation.ForReadVector(this, buffers, total, fileOffset, cancellationToken);
        short version = operation.Version;
        operation.Start();
        return new ValueTask<long>(operation, version);
    }

    private ValueTask StartWriteVector(
        IReadOnlyList<ReadOnlyMemory<byte>> buffers, long fileOffset, CancellationToken cancellationToken)
    {
        long total = 0;
        for (int i = 0; i < buffers.Count; i++)
        {
            total += buffers[i].Length;
        }

        if (total == 0)
        {
            return ValueTask.CompletedTask;
        }

        IoOperation operation = IoOperation.ForWriteVector(this, buffers, total, fileOffset, cancellationToken);
        short version = operation.Version;
        operation.Start();
        return new ValueTask(operation, version);
    }
}
