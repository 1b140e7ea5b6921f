using System.Reflection;
using Sluice.Engines;

namespace Sluice.Tests.Streams;

/// <summary>A direct stream whose device has larger blocks than its first window: up to 64 KiB since Linux 6.15.</summary>
public sealed class StreamBlockTests : IDisposable
{
    private const int Length = 400_000;
    private const int Piece = 100;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    /// <summary>After each flush, and each jump, the window begins somewhere in a block.</summary>
    [SkippableTheory]
    [InlineData(16 * 1024, false)]
    [InlineData(16 * 1024, true)]
    [InlineData(64 * 1024, false)]
    [InlineData(64 * 1024, true)]
    public async Task Small_writes_end_wherever_they_begin_in_a_block(int blockBytes, bool isAsync)
    {
        byte[] content = Bytes.Pattern(Length);
        string path = _temp.NewPath();
        SluiceStream stream = Open(path, blockBytes);
        Task writing = Task.Run(async () =>
        {
            for (int at = 0; at < Length; at += Piece)
            {
                await stream.WriteAsync(content.AsMemory(at, Piece), isAsync);

                if (at < 100_000 && at % 5000 == 0)
                {
                    await stream.FlushAsync();
                }
            }

            stream.Position = blockBytes / 2;
            stream.WriteByte(content[blockBytes / 2]);
        });

        // One that goes round and round is left behind, with its stream.
        await writing.WaitAsync(Patience);
        await stream.DisposeAsync();
        File.ReadAllBytes(path).ShouldBeBytes(content);
    }

    /// <summary>Of a device whose blocks are smaller: whatever is aligned for larger ones is for these.</summary>
    private static SluiceStream Open(string path, int blockBytes)
    {
        SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Caching = FileCaching.Direct,
        });
        if (handle.Caching != FileCaching.Direct)
        {
            handle.Dispose();
            Skip.If(true, $"no direct transfers here: {handle.CachingReason}");
        }

        FieldInfo extras = typeof(OpenFile).GetField("_extras", BindingFlags.NonPublic | BindingFlags.Instance)!;
        ((OpenFileExtras)extras.GetValue(handle)!).Alignment = handle.Alignment with { Offset = blockBytes, Length = blockBytes };
        return new SluiceStream(handle, FileAccess.ReadWrite);
    }
}
