using Microsoft.Win32.SafeHandles;
using Sluice.Memory;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>A stream that is closed while another thread stands still in a copy from or to memory that is not there yet.</summary>
[Trait("Tier", "slow")]
public sealed class SlowCopyTests : HostileTests
{
    private const int Window = 32 << 10;
    private static readonly byte[] First = Bytes.Pattern(100);
    private static readonly byte[] Content = Bytes.Pattern(HeldMemory.Length);

    /// <summary>Closing gives up after some seconds; the write must not say then that its bytes were taken.</summary>
    [SkippableFact]
    public async Task A_write_that_closing_has_given_up_says_so() =>
        await Task.WhenAll(GiveUpAsync(isAsync: false), GiveUpAsync(isAsync: true));

    [SkippableFact]
    public async Task A_write_that_closing_waits_for_is_in_the_file()
    {
        using HeldMemory memory = new();
        SluiceStream stream = Create(out string path);
        (Thread writing, Func<Exception?> error) = Beside.Start(() => stream.Write(memory.Span));
        memory.WaitUntilTouched();
        (Thread closing, Func<Exception?> closingError) = Beside.Start(stream.Dispose);
        SpinWait.SpinUntil(() => (closing.ThreadState & ThreadState.WaitSleepJoin) != 0);
        memory.Give(Content);
        writing.Join();
        closing.Join();
        error().ShouldBeNull();
        closingError().ShouldBeNull();
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes([.. First, .. Content]);
    }

    [SkippableFact]
    public async Task Closing_asynchronously_holds_no_thread_while_it_waits_for_a_write()
    {
        using HeldMemory memory = new();
        SluiceStream stream = Create(out string path);
        (Thread writing, Func<Exception?> error) = Beside.Start(() => stream.Write(memory.Span));
        memory.WaitUntilTouched();
        ValueTask closing = stream.DisposeAsync();
        bool hasEnded = closing.IsCompleted;
        memory.Give(Content);
        await closing;
        writing.Join();
        hasEnded.ShouldBeFalse("the write stood still, and closing has given it up");
        error().ShouldBeNull();
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes([.. First, .. Content]);
    }

    /// <summary>What is written to a pipe is not waited for when it is closed.</summary>
    [SkippableFact]
    public void A_write_to_a_pipe_that_is_closed_around_it_says_so()
    {
        using HeldMemory memory = new();
        (SafeFileHandle end, SafeFileHandle other) = Native.Pipe();
        using SafeFileHandle reader = end;
        SluiceStream stream = new(other, FileAccess.Write, Window);
        (Thread writing, Func<Exception?> error) = Beside.Start(() => stream.Write(memory.Span));
        memory.WaitUntilTouched();
        stream.Dispose();
        memory.Give(Content);
        writing.Join();
        error().ShouldBeOfType<ObjectDisposedException>();
    }

    /// <summary>The memory that it copies from is given to nobody else, whoever calls the closed stream.</summary>
    [SkippableTheory]
    [InlineData("Read")]
    [InlineData("ReadByte")]
    [InlineData("Write")]
    [InlineData("WriteByte")]
    [InlineData("WriteByteAsync")]
    public async Task A_read_that_a_stream_is_closed_around_gets_its_bytes(string next)
    {
        using HeldMemory memory = new();
        byte[] content = Bytes.Pattern(Window);
        SluiceStream stream = new(Temp.NewFile(content), FileMode.Open, FileAccess.ReadWrite, FileShare.None, Window);
        stream.ReadExactly(new byte[100]);
        int count = 0;
        (Thread reading, Func<Exception?> error) = Beside.Start(() => count = stream.Read(memory.Span));
        memory.WaitUntilTouched();
        stream.Dispose();
        await Should.ThrowAsync<ObjectDisposedException>(() => Beside.CallAsync(stream, next));
        RetiredMemory.Flush();
        List<MemoryLease> others = [];
        for (int i = 0; i < 100; i++)
        {
            others.Add(AlignedBufferPool.Rent(Window));
            others[i].Array.AsSpan(others[i].Start, Window).Fill(0xEE);
        }

        memory.Give(new byte[HeldMemory.Length]);
        reading.Join();
        error().ShouldBeNull();
        others.ForEach(static other => other.Return());
        count.ShouldBe(HeldMemory.Length);
        memory.Span.ToArray().ShouldBeBytes(content.AsSpan(100, HeldMemory.Length));
    }

    private async Task GiveUpAsync(bool isAsync)
    {
        using HeldMemory memory = new();
        SluiceStream stream = Create(out string path);
        (Thread writing, Func<Exception?> error) = Beside.Start(() => stream.Write(memory.Span));
        memory.WaitUntilTouched();
        await Task.Run(() => CloseAsync(stream, isAsync).AsTask());
        memory.Give(Content);
        writing.Join();
        error().ShouldBeOfType<ObjectDisposedException>();
        (await File.ReadAllBytesAsync(path)).ShouldBeBytes(First);
    }

    /// <summary>A stream that has room in its window.</summary>
    private SluiceStream Create(out string path)
    {
        path = Temp.NewPath();
        SluiceStream stream = new(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, Window);
        stream.Write(First);
        return stream;
    }

    private static ValueTask CloseAsync(SluiceStream stream, bool isAsync)
    {
        if (isAsync)
        {
            return stream.DisposeAsync();
        }

        stream.Dispose();
        return ValueTask.CompletedTask;
    }
}
