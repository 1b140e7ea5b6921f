using System.Numerics;
using Sluice.Interop;

namespace Sluice.Sequential;

/// <summary>Blocks between their uses: powers of two up to 1 MiB, a bounded number of each; larger ones are not kept. Thread-safe.</summary>
internal static class BlockPool
{
    private const int SmallestBytes = 4096;
    private const int LargestKeptBytes = 1024 * 1024;
    private const int MostKeptBytes = 16 * 1024 * 1024;
    private const int MostKept = 64;

#if DEBUG
    private const int SlabBytes = HugePages.FewestBytes / 64;
#else
    private const int SlabBytes = HugePages.FewestBytes;
#endif

    /// <summary>Smaller blocks are made singly: a small file must not cost a huge page.</summary>
    private const int SmallestInSlab = SlabBytes / 32;

    private static readonly Lock PoolLock = new();
    private static readonly Stack<Block>[] Kept = new Stack<Block>[IndexOf(LargestKeptBytes) + 1];

    /// <summary>A block of at least so many bytes; what is in it is anything.</summary>
    public static Block Rent(int sizeBytes)
    {
        if (sizeBytes > LargestKeptBytes)
        {
            return new Block(sizeBytes);
        }

        int capacity = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Max(sizeBytes, SmallestBytes));
        lock (PoolLock)
        {
            if (Kept[IndexOf(capacity)] is { } stack && stack.TryPop(out Block? block))
            {
                return block;
            }
        }

        if (capacity is < SmallestInSlab or > SlabBytes / 2)
        {
            return new Block(capacity);
        }

        Block[] slab = Block.MakeSlab(SlabBytes, capacity);
        foreach (Block other in slab.AsSpan(1))
        {
            Return(other);
        }

        return slab[0];
    }

    /// <summary>Takes a block back. Nobody may write into it any more, the kernel included.</summary>
    public static void Return(Block block)
    {
        if (block.Capacity > LargestKeptBytes)
        {
            return;
        }

        lock (PoolLock)
        {
            Stack<Block> stack = Kept[IndexOf(block.Capacity)] ??= new Stack<Block>();
            if (stack.Count < Math.Min(MostKept, MostKeptBytes / block.Capacity))
            {
                stack.Push(block);
            }
        }
    }

    private static int IndexOf(int capacity) => BitOperations.Log2((uint)capacity) - BitOperations.Log2(SmallestBytes);
}
