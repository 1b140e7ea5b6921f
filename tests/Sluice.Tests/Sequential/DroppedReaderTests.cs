using System.Runtime.CompilerServices;
using Sluice.Tests.Shared;

namespace Sluice.Tests.Sequential;

/// <summary>Readers that are dropped without disposal: their finalizers return rings, and their memory is collected.</summary>
[Collection(AloneCollection.Name)]
public sealed class DroppedReaderTests : IDisposable
{
    private const int Readers = 60;
    private const int BlockBytes = 64 * 1024;
    private const int Depth = 16;

    /// <summary>The pool of buffers and other objects; the dropped readers had four times as much.</summary>
    private const long MaxKeptBytes = Readers * (long)BlockBytes * Depth / 4;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [Fact]
    public void Rings_are_returned_and_memory_is_collected()
    {
        byte[] content = Bytes.Pattern(2 * BlockBytes * Depth);
        string path = _temp.NewFile(content);
        Drop(path);
        (int rings, long bytes) = (Rings(), GC.GetTotalMemory(forceFullCollection: true));
        for (int i = 0; i < Readers; i++)
        {
            Drop(path);
        }

        for (int i = 0; i < 20 && (HasMoreRings(rings) || HasMoreMemory(bytes)); i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        HasMoreRings(rings).ShouldBeFalse();
        HasMoreMemory(bytes).ShouldBeFalse();
        using SluiceReader reader = SequentialCases.Reader(path, "own", FileCaching.Direct, BlockBytes, Depth);
        byte[] read = new byte[content.Length];
        reader.ReadExactly(read);
        read.ShouldBeBytes(content);
    }

    /// <summary>A few unused rings are kept.</summary>
    private static bool HasMoreRings(int before) => Rings() > before + Kernel.Tuning.SequentialRingMaxKept;

    private static bool HasMoreMemory(long before) => GC.GetTotalMemory(forceFullCollection: true) > before + MaxKeptBytes;

    private static int Rings() => OpenFiles.All().Count(static f => f.Target.Contains("io_uring", StringComparison.Ordinal));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Drop(string path) =>
        _ = SequentialCases.Reader(path, "own", FileCaching.Direct, BlockBytes, Depth).BlockOrEmpty().Length;
}
