using Sluice.Memory;

namespace Sluice.Tests.Support;

/// <summary>Readers, writers and scans in a process that keeps no buffers, or has no memory for large ones.</summary>
internal static class PoorMemoryProgram
{
    /// <summary>0 when nothing is kept and every byte is right.</summary>
    public static int RunWithSmallPool(string path)
    {
        AppContext.SetData("Sluice.MaxKeptMemoryBytes", 0);
        byte[] content = Bytes.Pattern(3_000_000);
        foreach (FileCaching caching in Enum.GetValues<FileCaching>())
        {
            using (SluiceWriter writer = new(path, new SluiceWriterOptions { Caching = caching }))
            {
                writer.Write(content);
            }

            using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = caching });
            byte[] read = new byte[content.Length];
            reader.ReadExactly(read);
            read.ShouldBeBytes(content);
            using MemoryStream copy = new();
            using (SluiceStream stream = new(path, new SluiceOptions { Caching = caching }))
            {
                stream.CopyTo(copy);
            }

            copy.ToArray().ShouldBeBytes(content);
        }

        // Beside what each processor has at hand.
        AlignedBufferPool.Rented.ShouldBe(0);
        AlignedBufferPool.KeptBytes.ShouldBeLessThanOrEqualTo(Environment.ProcessorCount * (124L + (5 * 4)) * 1024);
        return 0;
    }

    /// <summary>
    /// 0 when those who get no memory hear of it, each time, and leave nothing behind. The heap of this process has a hard limit below
    /// 1 GiB.
    /// </summary>
    public static async Task<int> RunWithoutMemoryAsync(string path)
    {
        SluiceWriter writer = new(path, new SluiceWriterOptions { RequestSize = 1 << 30 });
        for (int i = 0; i < 3; i++)
        {
            await Should.ThrowAsync<OutOfMemoryException>(async () => await writer.WriteAsync(new byte[10]));
            Should.Throw<OutOfMemoryException>(() => writer.Write(new byte[10]));
        }

        writer.Dispose();
        writer.SluiceHandle.SafeFileHandle.IsClosed.ShouldBeTrue();
        AlignedBufferPool.Rented.ShouldBe(0);
        await File.WriteAllBytesAsync(path, new byte[100_000]);
        await Should.ThrowAsync<OutOfMemoryException>(async () =>
        {
            SluiceScanOptions options = new() { PartSize = 1 << 30, Degree = 2 };
            await foreach (int bytes in SluiceReader.ScanAsync(path, static part => part.Bytes.Length, options))
            {
                bytes.ShouldBe(0, "no part was read");
            }
        });
        AlignedBufferPool.Rented.ShouldBe(0);
        return 0;
    }
}
