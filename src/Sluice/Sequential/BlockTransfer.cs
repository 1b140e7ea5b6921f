using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>One block on its way between file and memory. It keeps its memory until the transfer has ended.</summary>
internal sealed class BlockTransfer
{
    public BlockTransfer(MemoryLease block) => Block = block;

    public MemoryLease Block { get; private set; }

    /// <summary>Where the transfer begins in the file.</summary>
    public long Offset { get; set; }

    /// <summary>Bytes asked for.</summary>
    public int Length { get; set; }

    /// <summary>Bytes transferred, or the kernel's negative errno.</summary>
    public int Result { get; set; }

    /// <summary>The number of the reader's call that started it.</summary>
    public int Call { get; set; }

    /// <summary>In a <see cref="SequentialRing"/>, and not completed yet.</summary>
    public bool IsInRing { get; set; }

    /// <summary>What it does there.</summary>
    public bool IsRead { get; set; }

    /// <summary>The transfer through the handle's engine, where it did not complete at once; until its result has been taken.</summary>
    public Task<int>? Task { get; set; }

    /// <summary>The result is there, or the task that has it has ended.</summary>
    public bool IsComplete => !IsInRing && (Task is null || Task.IsCompleted);

    /// <summary>Takes larger memory where this is too small; what was in it is lost.</summary>
    public void MakeRoom(int length)
    {
        if (Block.Length < length)
        {
            MemoryLease larger = AlignedBufferPool.RentOfMany(length);
            Block.Return();
            Block = larger;
        }
    }

    /// <summary>
    /// Gives the memory back when the transfer has ended, whoever ends it; its error has no one left to hear of it. Not for transfers in a
    /// ring.
    /// </summary>
    public void ReturnWhenEnded()
    {
        if (Task is not { } task)
        {
            Block.Return();
            return;
        }

        _ = task.ContinueWith(
            static (ended, block) =>
            {
                _ = ended.Exception;
                ((MemoryLease)block!).Return();
            },
            Block, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
    }

    public Span<byte> Span => Block.Span[..Length];
}
