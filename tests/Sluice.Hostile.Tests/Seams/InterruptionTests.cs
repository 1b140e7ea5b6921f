using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// Thread.Interrupt of a thread that has transfers in a ring of its own: memory that the kernel may write to stays the transfers', nothing
/// stays open, and the interruption is the thread's next wait's.
/// </summary>
[Trait("Tier", "nightly")]
public sealed class InterruptionTests : HostileTests
{
    private const int Block = 8192;
    private const int Blocks = 40;
    private static readonly byte[] Content = Bytes.Pattern(Blocks * Block);

    [SkippableTheory]
    [InlineData("reads")]
    [InlineData("writes")]
    [InlineData("reader")]
    public async Task Transfers_that_the_kernel_has_put_off_are_waited_for(string kind)
    {
        SkipWithoutRings();
        string path = Temp.NewFile(Content);
        Use(kind, path);
        Accounts accounts = Accounts.Open(Temp.Root);
        bool putsOff = false;
        SystemCallFaults.Use((call, _, _) => call == "io_uring_enter" && Volatile.Read(ref putsOff) ? -Errno.EAGAIN : 0);
        (Exception? during, Exception? afterwards) = Interrupt(
            () => Use(kind, path), () => Volatile.Write(ref putsOff, true), () => Volatile.Write(ref putsOff, false));
        during.ShouldBeNull();
        afterwards.ShouldBeOfType<ThreadInterruptedException>();

        // Whoever borrows the ring next finds nothing of it there.
        for (int i = 0; i < 10; i++)
        {
            Use(kind, path);
        }

        await accounts.CloseAsync(kind);
    }

    /// <summary>Closing waits until what another thread is just writing is in the stream's memory.</summary>
    [Fact]
    public async Task A_stream_that_an_interrupted_thread_closes_beside_a_writing_one_has_all_of_it()
    {
        Accounts accounts = Accounts.Open(Temp.Root);
        byte[] large = new byte[24 << 20];
        Array.Fill(large, (byte)'x');
        for (int round = 0; round < 12; round++)
        {
            string path = Temp.NewPath();
            SluiceStream stream = new(
                path, new SluiceOptions { Mode = FileMode.Create, Access = FileAccess.ReadWrite, BufferSize = 32 << 20 });
            stream.WriteByte(1);
            long accepted = 1;
            using ManualResetEventSlim isWriting = new();
            Thread writing = new(() =>
            {
                isWriting.Set();
                if (Record.Exception(() => stream.Write(large)) is null)
                {
                    accepted += large.Length;
                }
            });
            writing.Start();
            isWriting.Wait();

            // Not too early: the write is to be under way.
            Thread.SpinWait(100 * round);
            Exception? during = null;
            Exception? afterwards = null;
            Thread closing = new(() =>
            {
                Thread.CurrentThread.Interrupt();
                during = Record.Exception(stream.Dispose);
                afterwards = Record.Exception(static () => Thread.Sleep(0));
            });
            closing.Start();
            await Watchdog.EndsAsync(
                () =>
                {
                    closing.Join();
                    writing.Join();
                    return Task.CompletedTask;
                },
                $"round {round}");
            during.ShouldBeNull($"round {round}");
            afterwards.ShouldBeOfType<ThreadInterruptedException>();
            new FileInfo(path).Length.ShouldBe(accepted, $"round {round}");
            File.Delete(path);
        }

        await accounts.CloseAsync("closed");
    }

    private static void SkipWithoutRings()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "rings are Linux's");
        Skip.If(SluiceEngines.UringReason is not null, $"this process has no ring: {SluiceEngines.UringReason}");
    }

    /// <summary>Does this on a thread that is interrupted once it waits, while what comes before holds it up.</summary>
    /// <returns>What it threw, and what the thread's next wait threw.</returns>
    private static (Exception? During, Exception? Afterwards) Interrupt(Action action, Action before, Action after)
    {
        Exception? during = null;
        Exception? afterwards = null;
        Thread thread = new(() =>
        {
            during = Record.Exception(action);
            afterwards = Record.Exception(() => Thread.Sleep(1));
        });
        before();
        try
        {
            thread.Start();
            SpinWait.SpinUntil(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0 || !thread.IsAlive);
            thread.Interrupt();
            SpinWait.SpinUntil(() => !thread.IsAlive, 20);
        }
        finally
        {
            after();
        }

        thread.Join();
        return (during, afterwards);
    }

    private static void Use(string kind, string path)
    {
        SluiceOptions options = new() { Access = FileAccess.ReadWrite, Share = FileShare.ReadWrite, Caching = FileCaching.Direct };
        using SluiceHandle handle = SluiceHandle.Open(path, options);
        switch (kind)
        {
            case "reads":
                ReadRequest[] reads = [.. Enumerable.Range(0, Blocks).Select(i => new ReadRequest(i * Block, new byte[Block]))];
                handle.ReadBatch(reads);
                reads.SelectMany(r => r.Buffer.ToArray()).ToArray().ShouldBeBytes(Content);
                break;
            case "writes":
                handle.WriteBatch(
                    [.. Enumerable.Range(0, Blocks).Select(i => new WriteRequest(i * Block, Content.AsMemory(i * Block, Block)))]);
                File.ReadAllBytes(path).ShouldBeBytes(Content);
                break;
            default:
                using (SluiceReader reader = new(handle, new SluiceReaderOptions { RequestSize = Block, Depth = 4 }, ownsHandle: false))
                {
                    List<byte> read = [];
                    while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
                    {
                        read.AddRange(block);
                    }

                    read.ToArray().ShouldBeBytes(Content);
                }

                break;
        }
    }
}
