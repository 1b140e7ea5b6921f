using System.Buffers;
using Sluice.Errors;
using Sluice.Memory;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// Thread.Interrupt of a caller's thread at each place where .NET may wait below a call, in the first, in the second, and so on until there
/// are no more: every call does what it is to do, all others get their turns, and the interruption is the thread's next wait's. Also what
/// another thread writes between two steps of a closing. Debug builds have these places; elsewhere the tests are skipped.
/// </summary>
[Trait("Tier", "nightly")]
public sealed class InterruptedStepTests : HostileTests
{
    private static readonly byte[] Content = Bytes.Pattern(40_000);

    /// <summary>What waits for the call itself is not waited for by the call.</summary>
    private const int PatienceMs = 15;

    public override void Dispose()
    {
        Seam.Use(null);
        base.Dispose();
    }

    [SkippableTheory]
    [InlineData("held", FileCaching.Cached)]
    [InlineData("own", FileCaching.Direct)]
    public Task Stream(string engine, FileCaching caching) => EveryInterruptionAsync((path, tasks) =>
    {
        SluiceOptions options = new()
        {
            Mode = FileMode.Create,
            Access = FileAccess.ReadWrite,
            Engine = Engine(engine),
            Caching = caching,
            BufferSize = 4096,
            Options = FileOptions.Asynchronous,
        };
        using CancellationTokenSource source = new();
        using SluiceStream stream = new(path, options);
        int at = 0;
        ReadOnlyMemory<byte> Next(int bytes) => Content.AsMemory((at += bytes) - bytes, bytes);
        for (int i = 0; i < 3; i++)
        {
            tasks.Add(stream.WriteAsync(Next(3_001), source.Token).AsTask());
        }

        stream.Write(Next(5_003).Span);
        stream.Flush();
        tasks.Add(stream.WriteAsync(Next(9_000)).AsTask());
        stream.Flush();
        stream.Position = 0;
        byte[] read = new byte[at];
        tasks.Add(stream.ReadAsync(read.AsMemory(0, 5_000), source.Token).AsTask());
        tasks.Add(stream.ReadAsync(read.AsMemory(5_000, 5_000)).AsTask());
        stream.Flush();
        stream.ReadExactly(read.AsSpan(10_000));
        read.ShouldBeBytes(Content.AsSpan(0, at));
        tasks.Add(stream.WriteAsync(Next(9_000)).AsTask());
        return at;
    });

    /// <summary>A thread that appends leads, and ends the waits of others: none of them is lost.</summary>
    [SkippableFact]
    public Task Log() => EveryInterruptionAsync((path, tasks) =>
    {
        string folder = path + ".log";
        SluiceLogOptions options = new() { BufferBytes = 8192, MaxRecordBytes = 1000, Preallocate = false };
        using (SluiceLog log = SluiceLog.Open(folder, options))
        {
            for (int i = 0; i < 2; i++)
            {
                tasks.Add(log.AppendAsync(Content.AsMemory(i * 2000, 1000), LogDurability.Buffered).AsTask());
                tasks.Add(log.FlushAsync(LogDurability.Written).AsTask());
                log.Append(Content.AsSpan((i * 2000) + 1000, 1000), LogDurability.Written);
            }

            log.AppendBatch([Content.AsMemory(4000, 300), Content.AsMemory(4300, 600)], LogDurability.Written);
        }

        using (SluiceLogReader reader = new(folder))
        {
            using FileStream all = new(path, FileMode.Create);
            while (reader.TryRead(out LogEntry entry))
            {
                all.Write(entry.Bytes);
            }
        }

        Directory.Delete(folder, recursive: true);
        return 4900;
    });

    /// <summary>What a pool took before its wait was broken off is not given to it a second time: it would have two owners.</summary>
    [Fact]
    public void An_array_is_given_back_once()
    {
        WaitingPool pool = new();
        byte[] array = pool.RentUninterrupted(10);
        Thread.CurrentThread.Interrupt();
        pool.ReturnUninterrupted(array);
        Should.Throw<ThreadInterruptedException>(static () => Thread.Sleep(0));
        pool.Returned.ShouldBe(1);
    }

    /// <summary>Another thread writes between two steps of Dispose: what was accepted is in the file.</summary>
    [SkippableTheory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_write_that_comes_within_a_closing(bool isFirst)
    {
        bool hasStruck = SkipWithoutSeams();
        for (int at = 1; hasStruck; at++)
        {
            string path = Temp.NewPath();
            int accepted = 0;
            Thread? other = null;
            using (SluiceStream stream = new(path, FileMode.Create))
            {
                if (!isFirst)
                {
                    stream.Write(Content.AsSpan(0, 10));
                    stream.Flush();
                    accepted = 10;
                }

                int count = 0;
                Thread caller = Thread.CurrentThread;
                Seam.Use(_ =>
                {
                    if (Thread.CurrentThread == caller && ++count == at)
                    {
                        other = new Thread(() =>
                        {
                            if (Record.Exception(() => stream.Write(Content.AsSpan(accepted, 10))) is null)
                            {
                                accepted += 10;
                            }
                        });
                        other.Start();
                        other.Join(PatienceMs);
                    }
                });
                stream.Dispose();
                Seam.Use(null);
            }

            hasStruck = other is not null;
            other?.Join();
            byte[] written = await File.ReadAllBytesAsync(path);
            written.ShouldBeBytes(Content.AsSpan(0, accepted), $"step {at}");
            (hasStruck || at > 1).ShouldBeTrue("there was no step");
        }
    }

    [SkippableFact]
    public void Queue()
    {
        SkipWithoutSeams();
        UninterruptedQueue<int> queue = new();
        Interrupted(() => queue.IsEmpty.ShouldBeTrue());
        Interrupted(() => queue.Enqueue(7));
        Interrupted(() => queue.IsEmpty.ShouldBeFalse());
        Interrupted(() => queue.Count.ShouldBe(1));
        Interrupted(() =>
        {
            queue.TryDequeue(out int item).ShouldBeTrue();
            item.ShouldBe(7);
        });
        Interrupted(() => queue.TryDequeue(out _).ShouldBeFalse());
    }

    [SkippableFact]
    public void Part_of_a_write_that_failed()
    {
        SkipWithoutSeams();
        IOException error = new();
        Interrupted(() => PartialWrite.Note(error, this, 5).ShouldBeSameAs(error));
        PartialWrite.Of(error, this).ShouldBe(5);
        Interrupted(() => PartialWrite.Note(error, this, 0).ShouldBeSameAs(error));
        PartialWrite.Of(error, this).ShouldBe(0);
    }

    private static new bool SkipWithoutSeams()
    {
#if DEBUG
        return true;
#else
        throw new SkipException("only Debug builds have these places");
#endif
    }

    private static void Interrupted(Action call)
    {
        Thread own = Thread.CurrentThread;
        bool hasStruck = false;
        Seam.Use(kind =>
        {
            if (kind == SeamKind.Wait && Thread.CurrentThread == own && !hasStruck)
            {
                hasStruck = true;
                throw new ThreadInterruptedException();
            }
        });
        try
        {
            call();
        }
        finally
        {
            Seam.Use(null);
        }

        hasStruck.ShouldBeTrue();
        Should.Throw<ThreadInterruptedException>(static () => Thread.Sleep(0));
    }

    private async Task EveryInterruptionAsync(Func<string, List<Task>, int> scenario)
    {
        bool hasStruck = SkipWithoutSeams();

        // Once without: what the runtime loads for it is there then, and waits for nobody any more.
        for (int at = 0; hasStruck || at == 1; at++)
        {
            string path = Temp.NewPath();
            Accounts accounts = Accounts.Open(Temp.Root);
            List<Task> tasks = [];
            int written = 0;
            int count = 0;
            Exception? during = null;
            Exception? afterwards = null;
            Thread thread = new(() =>
            {
                during = Record.Exception(() => written = scenario(path, tasks));
                Seam.Use(null);
                afterwards = Record.Exception(static () => Thread.Sleep(0));
            });
            Seam.Use(kind =>
            {
                if (kind == SeamKind.Wait && Thread.CurrentThread == thread && ++count == at)
                {
                    throw new ThreadInterruptedException($"step {at}");
                }
            });
            thread.Start();
            await Watchdog.EndsAsync(
                () =>
                {
                    thread.Join();
                    return Task.CompletedTask;
                },
                $"step {at}");
            during.ShouldBeNull($"step {at}");
            hasStruck = at > 0 && count >= at;
            (afterwards is ThreadInterruptedException).ShouldBe(hasStruck, $"step {at}: {afterwards}");
            await Watchdog.EndsAsync(() => Task.WhenAll(tasks), $"step {at}: those that were begun");
            File.ReadAllBytes(path).ShouldBeBytes(Content.AsSpan(0, written), $"step {at}");
            await accounts.CloseAsync($"step {at}");
            File.Delete(path);
            (hasStruck || at != 1).ShouldBeTrue("there was no step");
        }
    }

    /// <summary>Takes an array, and waits then.</summary>
    private sealed class WaitingPool : ArrayPool<byte>
    {
        public int Returned { get; private set; }

        public override byte[] Rent(int minimumLength) => new byte[minimumLength];

        public override void Return(byte[] array, bool clearArray = false)
        {
            Returned++;
            Thread.Sleep(1);
        }
    }
}
