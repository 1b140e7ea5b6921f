using Sluice.Memory;

namespace Sluice.Tests.Support;

/// <summary>Readers, writers and scans in a process that keeps no buffers.</summary>
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
}
