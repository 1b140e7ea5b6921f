using Sluice.Engines;

namespace Sluice.Tests.Support;

/// <summary>Parts of <see cref="StarvedBehindProgram"/>: who waits for a file's gate, and who is interrupted while he waits.</summary>
internal static class StarvedGate
{
    private static readonly byte[] Content = Bytes.Pattern(150_000);

    /// <summary>Writes of a handle that keep others out at its file's gate, or have been called there and need a thread.</summary>
    public static void BeginAtGate(SluiceHandle direct, List<Task> begun)
    {
        direct.WriteAsync(new byte[1 << 20], 0).AsTask().Wait();
        byte[] aligned = GC.AllocateArray<byte>(1 << 20, pinned: true);
        for (int i = 0; i < 40; i++)
        {
            begun.Add(direct.WriteAsync(aligned, (i + 4L) << 20).AsTask());
            if (i % 4 == 0)
            {
                begun.Add(direct.WriteAsync(new byte[100], (2L << 20) + (i * 8192) + 13).AsTask());
            }
        }
    }

    public static void CheckBehindGate(SluiceHandle direct, List<Task> begun)
    {
        using (SluiceStream stream = new(direct.Path!, new SluiceOptions
        {
            Mode = FileMode.Open,
            Access = FileAccess.ReadWrite,
            Share = FileShare.ReadWrite,
            Caching = FileCaching.Direct,
        }))
        {
            begun.Add(stream.WriteAsync(Content).AsTask());
            stream.WriteByte(7);
            stream.Flush();
        }

        byte[] read = new byte[Content.Length + 1];
        direct.Read(read, 0).ShouldBe(read.Length);
        read.AsSpan(0, Content.Length).SequenceEqual(Content).ShouldBeTrue();
        read[^1].ShouldBe((byte)7);
        foreach (Task task in begun)
        {
            PoolWork.Wait(task).ShouldBeTrue();
            task.IsCompletedSuccessfully.ShouldBeTrue();
        }
    }

    /// <summary>As whoever wants a thread to end does it.</summary>
    public static void CheckInterruptedAgain(string path)
    {
        Thread worker = new(() =>
        {
            using SluiceStream stream = new(path, FileMode.Create, FileAccess.ReadWrite, FileShare.None, FileCaching.Direct);
            _ = stream.WriteAsync(Content).AsTask();
            stream.WriteByte(7);
            try
            {
                stream.Flush();
            }
            catch (ThreadInterruptedException)
            {
                // A wait that belongs to nobody else may be broken off.
            }
        });
        worker.Start();
        while (!worker.Join(5))
        {
            worker.Interrupt();
        }

        new FileInfo(path).Length.ShouldBe(Content.Length + 1);
    }
}
