using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>A stream that is called, or closed once more, while its closing waits for another thread.</summary>
[Trait("Tier", "slow")]
public sealed class CalledWhileClosingTests : HostileTests
{
    private const int Window = 32 << 10;
    private static readonly byte[] First = Bytes.Pattern(100);
    private static readonly byte[] Content = Bytes.Pattern(HeldMemory.Length);

    /// <summary>Whoever closes a pipe a second time does not close it around the one who has yet to find what is to be written.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pipe_that_is_closed_twice_loses_nothing_silently(bool isAsync)
    {
        using HeldMemory memory = new();
        (SafeFileHandle end, SafeFileHandle other) = Native.Pipe();
        using SafeFileHandle reader = end;
        SluiceStream stream = new(other, FileAccess.Write, Window);
        stream.Write(First);
        (Thread writing, Func<Exception?> error) = Beside.Start(() => stream.Write(memory.Span));
        memory.WaitUntilTouched();
        Task first;
        if (isAsync)
        {
            first = stream.DisposeAsync().AsTask();
        }
        else
        {
            (Thread closing, Func<Exception?> closingError) = Beside.Start(stream.Dispose);
            SpinWait.SpinUntil(() => (closing.ThreadState & System.Threading.ThreadState.WaitSleepJoin) != 0);
            Thread.Sleep(50);
            first = Task.Run(() =>
            {
                closing.Join();
                if (closingError() is { } e)
                {
                    throw e;
                }
            });
        }

        (Thread closingToo, Func<Exception?> second) = Beside.Start(stream.Dispose);
        closingToo.Join(1000);
        memory.Give(Content);
        writing.Join();
        closingToo.Join();
        Exception? firstError = await Record.ExceptionAsync(() => first);
        byte[] got = ReadAll(reader);
        bool isHeard = error() is not null || second() is not null || firstError is not null;
        (got.Length == First.Length + Content.Length || isHeard).ShouldBeTrue(
            $"of {First.Length + Content.Length} bytes that were taken {got.Length} came; nobody heard");
    }

    /// <summary>What a thread is still copying comes into no other file, and it hears whether its bytes are in its own.</summary>
    [SkippableTheory]
    [InlineData("Read")]
    [InlineData("ReadByte")]
    [InlineData("Write")]
    [InlineData("WriteByte")]
    [InlineData("WriteByteAsync")]
    public async Task A_write_gets_into_no_other_file_when_the_stream_is_called_while_it_is_closed(string call)
    {
        using HeldMemory memory = new();
        string path = Temp.NewPath();
        SluiceStream stream = new(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, Window);
        stream.Write(First);
        (Thread writing, Func<Exception?> error) = Beside.Start(() => stream.Write(memory.Span));
        memory.WaitUntilTouched();
        Task closing = stream.DisposeAsync().AsTask();
        _ = await Record.ExceptionAsync(() => Task.Run(() => Beside.CallAsync(stream, call)));
        await closing;
        byte[] other = new byte[20_000];
        Array.Fill(other, (byte)0xEE);
        for (int i = 0; i < 40; i++)
        {
            using SluiceStream passing = new(Temp.NewPath(), FileMode.CreateNew, FileAccess.Write, FileShare.None, Window);
            passing.Write(First);
        }

        List<(string Path, SluiceStream Stream)> others = [];
        for (int i = 0; i < 60; i++)
        {
            string name = Temp.NewPath();
            others.Add((name, new SluiceStream(name, FileMode.CreateNew, FileAccess.Write, FileShare.None, Window)));
            others[i].Stream.Write(other);
        }

        memory.Give(Content);
        writing.Join();
        others.ForEach(static o => o.Stream.Dispose());
        int wrong = others.Count(o => !File.ReadAllBytes(o.Path).AsSpan().SequenceEqual(other));
        byte[] file = await File.ReadAllBytesAsync(path);
        bool isTold = error() is ObjectDisposedException || file.Length == First.Length + Content.Length;
        (wrong, isTold).ShouldBe((0, true), $"files with wrong bytes; {file.Length} bytes in its own");
    }

    /// <summary>A read gets no bytes of others while closing waits for what is read ahead.</summary>
    [SkippableTheory]
    [InlineData("Read")]
    [InlineData("Write")]
    public async Task A_read_gets_its_bytes_when_the_stream_is_called_while_it_is_closed(string call)
    {
        using HeldMemory memory = new();
        TaskCompletionSource mayEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource later = new(TaskCreationOptions.RunContinuationsAsynchronously);
        bool isHeld = false;
        int calls = 0;
        byte[] content = Bytes.Pattern(400_000);
        SluiceStream stream = new(Temp.NewFile(content), new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Engine = new HeldEngine(async () =>
            {
                await Task.Delay(1).ConfigureAwait(false);
                if (Volatile.Read(ref isHeld))
                {
                    int n = Interlocked.Increment(ref calls);
                    await (n == 1 ? mayEnd : later).Task.ConfigureAwait(false);
                }
            }),
        });
        byte[] some = new byte[100];
        for (int i = 0; i < 200; i++)
        {
            await stream.ReadExactlyAsync(some);
        }

        // A chunk is taken; the next one is read ahead of it, and held.
        Volatile.Write(ref isHeld, true);
        long at = stream.Position;
        Task<int> waiting = stream.ReadAsync(some).AsTask();
        while (waiting.IsCompleted)
        {
            at = stream.Position;
            waiting = stream.ReadAsync(some).AsTask();
        }

        await Task.Delay(200);
        mayEnd.SetResult();
        await waiting;
        byte[] block = new byte[8192 * 2];
        at = stream.Position;
        int count = 0;
        (Thread reading, Func<Exception?> error) = Beside.Start(() => count = stream.Read(memory.Span[..4096]));
        memory.WaitUntilTouched();
        Task closing = stream.DisposeAsync().AsTask();
        closing.IsCompleted.ShouldBeFalse("closing has nothing to wait for");
        Task calling = Task.Run(() =>
        {
            if (call == "Read")
            {
                _ = stream.Read(block);
            }
            else
            {
                stream.Write(block);
            }
        });
        Thread.Sleep(100);
        later.SetResult();
        await closing;
        _ = await Record.ExceptionAsync(() => calling);
        RetiredMemory.Flush();
        List<MemoryLease> others = [];
        for (int i = 0; i < 200; i++)
        {
            others.Add(AlignedBufferPool.Rent(i % 2 == 0 ? 8192 : 16384));
            others[i].Span.Fill(0xEE);
        }

        memory.Give(new byte[HeldMemory.Length]);
        reading.Join();
        others.ForEach(static other => other.Return());
        error().ShouldBeNull();
        int wrong = memory.Span[..count].ToArray().Count(static b => b == 0xEE);
        memory.Span[..count].ToArray().ShouldBeBytes(content.AsSpan((int)at, count), $"{wrong} bytes of others");
    }

    private static byte[] ReadAll(SafeFileHandle reader)
    {
        using FileStream file = new(new SafeFileHandle(reader.DangerousGetHandle(), ownsHandle: false), FileAccess.Read, 0);
        MemoryStream all = new();
        file.CopyTo(all);
        return all.ToArray();
    }
}
