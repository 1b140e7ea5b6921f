namespace Sluice.Tests;

/// <summary>Callers that share a ring and its threads.</summary>
public sealed partial class UringEngineTests
{
    [SkippableFact]
    public async Task What_ends_by_itself_does_not_wait_for_more_reads_of_a_pipe_than_the_ring_has_room_for()
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        const int count = 6_000;
        using TempFolder temp = new();
        byte[] content = Bytes.Pattern(5000);
        using SluiceHandle fifo = SluiceHandle.Open(temp.NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);

        // Plugged in, so that no read is tried inline.
        using SluiceHandle file = SluiceHandle.Open(temp.NewFile(content), new SluiceOptions { Engine = SluiceEngines.Default });
        Task<int>[] reads = [.. Enumerable.Range(0, count).Select(_ => fifo.ReadAsync(new byte[1], 0).AsTask())];
        byte[] read = new byte[content.Length];
        try
        {
            (await file.ReadAsync(read, 0).AsTask().WaitAsync(TimeSpan.FromMinutes(2))).ShouldBe(read.Length);
            await file.FlushToDiskAsync().AsTask().WaitAsync(TimeSpan.FromMinutes(2));
            reads.ShouldAllBe(static r => !r.IsCompleted);
        }
        finally
        {
            fifo.Write(new byte[count], 0);
            await Task.WhenAll(reads);
        }

        read.ShouldBeBytes(content);
    }

    /// <summary>Cancelled reads leave the line, in whatever order; those that stay have each byte that is written, once.</summary>
    [SkippableFact]
    public async Task What_waits_for_room_is_cancelled_from_the_middle_while_files_are_read()
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        const int count = 6_000;
        using TempFolder temp = new();
        byte[] content = Bytes.Pattern(5000);
        using SluiceHandle fifo = SluiceHandle.Open(temp.NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        using SluiceHandle file = SluiceHandle.Open(temp.NewFile(content), new SluiceOptions { Engine = SluiceEngines.Default });
        CancellationTokenSource[] sources = [.. Enumerable.Range(0, count).Select(static _ => new CancellationTokenSource())];
        byte[][] bytes = [.. Enumerable.Range(0, count).Select(static _ => new byte[1])];
        Task<int>[] reads = [.. Enumerable.Range(0, count).Select(i => fifo.ReadAsync(bytes[i], 0, sources[i].Token).AsTask())];
        int[] order = [.. Enumerable.Range(0, count)];
        new Random(7).Shuffle(order);
        int[] stay = order[(count / 2)..];

        Task cancelling = Task.Run(() => Array.ForEach(order[..(count / 2)], i => sources[i].Cancel()));
        for (int i = 0; i < 200; i++)
        {
            byte[] read = new byte[content.Length];
            (await file.ReadAsync(read, 0).AsTask().WaitAsync(TimeSpan.FromMinutes(2))).ShouldBe(read.Length);
            read.ShouldBeBytes(content);
        }

        await cancelling;
        foreach (int i in order[..(count / 2)])
        {
            await Should.ThrowAsync<OperationCanceledException>(() => reads[i].WaitAsync(TimeSpan.FromMinutes(2)));
        }

        stay.ShouldAllBe(i => !reads[i].IsCompleted);
        byte[] written = [.. Enumerable.Range(0, stay.Length).Select(static i => (byte)i)];
        fifo.Write(written, 0);
        (await Task.WhenAll(stay.Select(i => reads[i])).WaitAsync(TimeSpan.FromMinutes(2))).ShouldAllBe(static n => n == 1);
        stay.Select(i => bytes[i][0]).Order().ShouldBe(written.Order());
        order[..(count / 2)].ShouldAllBe(i => bytes[i][0] == 0);
        Array.ForEach(sources, static s => s.Dispose());
    }
}
