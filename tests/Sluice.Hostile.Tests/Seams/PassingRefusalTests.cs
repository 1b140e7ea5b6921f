using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// The kernel lets nobody into a ring now and then, for a reason that passes, while files are read and reads of pipes are cancelled: each
/// read has its own bytes, and everything ends.
/// </summary>
[Trait("Tier", "slow")]
public sealed class PassingRefusalTests : HostileTests
{
    private const int Block = 4096;
    private const int Blocks = 64;
    private const int Loops = 24;
    private const int Reads = 150;

    private static readonly int[] Reasons = [Errno.EAGAIN, Errno.EBUSY, Errno.ENOMEM];

    /// <param name="percent">How many calls of a hundred are refused.</param>
    /// <param name="caching">Cached reads that find their bytes need no ring; those of pipes do.</param>
    [SkippableTheory]
    [InlineData(10, FileCaching.Direct)]
    [InlineData(60, FileCaching.Direct)]
    [InlineData(95, FileCaching.Direct)]
    [InlineData(60, FileCaching.Cached)]
    public async Task Each_read_has_its_own_bytes_and_everything_ends(int percent, FileCaching caching)
    {
        Skip.If(SluiceEngines.Default.Name != "uring", $"this process has no ring: {SluiceEngines.UringReason}");
        string path = Temp.NewFile([.. Enumerable.Range(0, Blocks).SelectMany(static i => Enumerable.Repeat((byte)i, Block))]);
        using SluiceHandle file = SluiceHandle.Open(path, new SluiceOptions { Access = FileAccess.Read, Caching = caching });
        using SluiceHandle silent = SluiceHandle.Open(Temp.NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        int refused = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call != "io_uring_enter" || Random.Shared.Next(100) >= percent)
            {
                return 0;
            }

            int count = Interlocked.Increment(ref refused);
            return -Reasons[count % Reasons.Length];
        });
        Task all = Task.WhenAll(Enumerable.Range(0, Loops)
            .Select(i => Task.Run(() => i % 3 == 0 ? CancelAsync(silent, i) : ReadAsync(file, i))));
        await Watchdog.EndsAsync(() => all, $"{percent} of 100 refused");
        refused.ShouldBeGreaterThan(0);
        SluiceEngines.UringReason.ShouldBeNull();
    }

    private static async Task ReadAsync(SluiceHandle file, int loop)
    {
        Random random = new(loop);
        byte[] buffer = new byte[Block];
        for (int i = 0; i < Reads; i++)
        {
            int block = random.Next(Blocks);
            buffer.AsSpan().Fill(0xFF);
            (await file.ReadAsync(buffer, (long)block * Block)).ShouldBe(Block);
            buffer.AsSpan().IndexOfAnyExcept((byte)block).ShouldBe(-1, $"loop {loop}, read {i}");
        }
    }

    private static async Task CancelAsync(SluiceHandle silent, int loop)
    {
        Random random = new(loop);
        for (int i = 0; i < Reads / 5; i++)
        {
            using CancellationTokenSource source = new();
            Task<int> read = silent.ReadAsync(new byte[1], 0, source.Token).AsTask();
            for (int yields = random.Next(4); yields > 0; yields--)
            {
                await Task.Yield();
            }

            await source.CancelAsync();
            await Should.ThrowAsync<OperationCanceledException>(read);
        }
    }
}
