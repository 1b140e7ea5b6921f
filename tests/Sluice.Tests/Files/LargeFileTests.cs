using System.Runtime.CompilerServices;
using System.Text;
using Sluice.Files;

namespace Sluice.Tests.Files;

/// <summary>Whole files whose memory is treated with care: huge pages from 4 MiB on, arrays kept over one collection below that.</summary>
[Collection(AloneCollection.Name)]
public sealed class LargeFileTests : IDisposable
{
    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Theory]
    [InlineData(85_000)]
    [InlineData(4 << 20)]
    [InlineData((4 << 20) + 1)]
    [InlineData(11_000_003)]
    public async Task Bytes_and_texts_are_those_of_the_file(int length)
    {
        byte[] content =
            Encoding.UTF8.GetBytes(string.Concat(Enumerable.Range(0, length / 3).Select(i =>
                i % 100 == 99 ? "\n" : "ä€x"[(i % 3)..(i % 3 + 1)])));
        string path = _temp.NewFile(content);
        SluiceFile.ReadAllBytes(path).ShouldBeBytes(content);
        (await SluiceFile.ReadAllBytesAsync(path)).ShouldBeBytes(content);
        foreach (Encoding encoding in (Encoding[])[Encoding.UTF8, Encoding.Unicode, Encoding.Latin1])
        {
            string expected = File.ReadAllText(path, encoding);
            SluiceFile.ReadAllText(path, encoding).Equals(expected, StringComparison.Ordinal).ShouldBeTrue();
            (await SluiceFile.ReadAllTextAsync(path, encoding)).Equals(expected, StringComparison.Ordinal).ShouldBeTrue();
        }
    }

    [SkippableFact]
    public void An_array_is_kept_no_longer_than_two_collections()
    {
        WeakReference array = Keep();
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        array.IsAlive.ShouldBeFalse();

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference Keep() => new(LargeArrayRetention.Keep(new byte[100_000]));
    }

    [SkippableFact]
    public void A_FIFO_is_read_to_its_end()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "FIFOs");
        string fifo = _temp.NewFifo();
        byte[] content = Bytes.Pattern(200_000);
        Task writer = Task.Run(() =>
        {
            using FileStream stream = new(fifo, FileMode.Open, FileAccess.Write);
            stream.Write(content);
        });
        SluiceFile.ReadAllBytes(fifo).ShouldBeBytes(content);
        writer.GetAwaiter().GetResult();
    }
}
