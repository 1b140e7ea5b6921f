namespace Sluice.Tests;

public sealed class UringEngineTests
{
    [SkippableFact]
    public async Task Cold_reads_survive_the_end_of_the_thread_that_submitted_them()
    {
        Skip.IfNot(SluiceEngines.Default.Name == "uring", $"no ring: {SluiceEngines.UringReason}");
        const int block = 4096;
        const int blocks = 4096;
        using TempFolder temp = new();
        byte[] content = Bytes.Pattern(block * blocks);

        // Plugged in, so that no read is tried inline.
        using SluiceHandle handle = SluiceHandle.Open(temp.NewFile(content), new SluiceOptions { Engine = SluiceEngines.Default });
        Random random = new(3);
        for (int round = 0; round < 8; round++)
        {
            Internals.Drop(handle);
            List<(int Offset, byte[] Buffer, Task<int> Read)> reads = [];
            for (int i = 0; i < 50; i++)
            {
                Thread thread = new(() =>
                {
                    for (int j = 0; j < 4; j++)
                    {
                        int offset = random.Next(blocks) * block;
                        byte[] buffer = new byte[block];
                        reads.Add((offset, buffer, handle.ReadAsync(buffer, offset).AsTask()));
                    }
                });
                thread.Start();
                thread.Join();
            }

            foreach ((int offset, byte[] buffer, Task<int> read) in reads)
            {
                (await read).ShouldBe(block);
                buffer.ShouldBeBytes(content.AsSpan(offset, block));
            }
        }
    }
}
