using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Handles;

/// <summary>Many requests in one call.</summary>
internal static class BatchRows
{
    private const int PageBytes = (int)(4 * ByteSize.KiB);
    private const int BatchSize = 128;

    public static Row DirectReadBatch() => new(
        "read-batch-128", "direct ReadBatch 128 x 4 KiB",
        "one thread, one submission for a whole batch; .NET: 128 ReadAsync and WhenAll", Open)
    {
        IsRequest = true,
        Fio = new FioJob("randread", PageBytes, BatchSize) { IsBatch = true },
    };

    private static Contest Open(BenchContext context)
    {
        DirectIo.Require(context.DirectFile, FileCaching.Direct);
        SluiceHandle sluice = SluiceHandle.Open(context.DirectFile, FileMode.Open, FileAccess.Read, FileShare.ReadWrite,
            FileOptions.Asynchronous, preallocationSize: 0, FileCaching.Direct);
        SluiceHandle dotNet = SluiceHandle.Open(context.DirectFile, FileMode.Open, FileAccess.Read, FileShare.ReadWrite,
            FileOptions.Asynchronous, preallocationSize: 0, FileCaching.Direct);
        RandomOffsets offsets = RandomOffsets.Of(context.Scale.DirectFileBytes, PageBytes);
        Memory<byte>[] buffers = Loops.Buffers(BatchSize, PageBytes);
        var requests = new ReadRequest[BatchSize];
        var tasks = new Task<int>[BatchSize];
        return new Contest(ReadBatch, ReadAllAsync, prepare: null, sluice, dotNet);

        Task ReadBatch(Slice slice)
        {
            do
            {
                for (int i = 0; i < BatchSize; i++)
                    requests[i] = new ReadRequest(offsets.Next(0), buffers[i]);
                long began = slice.Begin();
                sluice.ReadBatch(requests);
                slice.End(began);
                slice.Count(0, BatchSize);
            }
            while (!slice.IsOver);
            return Task.CompletedTask;
        }

        async Task ReadAllAsync(Slice slice)
        {
            do
            {
                long began = slice.Begin();
                for (int i = 0; i < BatchSize; i++)
                    tasks[i] = RandomAccess.ReadAsync(dotNet.SafeFileHandle, buffers[i], offsets.Next(0)).AsTask();
                await Task.WhenAll(tasks);
                slice.End(began);
                slice.Count(0, BatchSize);
            }
            while (!slice.IsOver);
        }
    }
}
