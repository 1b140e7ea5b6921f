using Sluice.Uring;

namespace Sluice.Hostile.Tests.Ending;

/// <summary>Handles and streams that are closed, or whose calls are cancelled, from another thread at each of their steps.</summary>
[Trait("Tier", "slow")]
public sealed class HandleEndingTests : HostileTests
{
    private const byte Old = (byte)'o';
    private const byte New = (byte)'n';
    private static readonly byte[] Before = [.. Enumerable.Repeat(Old, 40_000)];

    /// <summary>Each pair of engine, caching, sync or async, and closing or cancelling; synchronous calls take no token.</summary>
    public static TheoryData<string, FileCaching, bool, bool> Ways => new()
    {
        { "own", FileCaching.Cached, false, false },
        { "own", FileCaching.Direct, false, false },
        { "own", FileCaching.Cached, true, true },
        { "held", FileCaching.Direct, true, false },
    };

    [Theory]
    [MemberData(nameof(Ways))]
    public Task Handle(string engine, FileCaching caching, bool isAsync, bool cancels) => EveryStepAsync(async steps =>
    {
        string path = Temp.NewFile(Before);
        Intruder intruder = new(Temp);
        using CancellationTokenSource source = new();
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Engine = Engine(engine),
            Caching = caching,
            Options = FileOptions.Asynchronous,
        });
        byte[][] buffers = [.. Enumerable.Range(0, 8).Select(_ => Enumerable.Repeat(New, 4500).ToArray())];
        steps.Begin(() =>
        {
            (cancels ? source.Cancel : (Action)handle.Dispose)();
            intruder.Come();
        });
        byte[] first = buffers[0];
        await EndAsync(async () => (isAsync ? await handle.ReadAsync(first, 100, source.Token) : handle.Read(first, 100)).ShouldBe(4500));
        Memory<byte>[] into = [buffers[1], buffers[2]];
        await EndAsync(async () => (isAsync ? await handle.ReadAsync(into, 4096, source.Token) : handle.Read(into, 4096)).ShouldBe(9000));
        foreach (byte[] read in buffers.Take(3))
        {
            read.AsSpan().ContainsAnyExcept(Old, New).ShouldBeFalse("a foreign byte was read");
        }

        ReadOnlyMemory<byte> one = buffers[3];
        ReadOnlyMemory<byte>[] from = [buffers[4], buffers[5]];
        await EndAsync(() => CallAsync(() => handle.WriteAsync(one, 7000, source.Token), () => handle.Write(one.Span, 7000)));
        await EndAsync(() => CallAsync(() => handle.WriteAsync(from, 16_384, source.Token), () => handle.Write(from, 16_384)));
        await EndAsync(async () =>
            (isAsync ? await handle.AppendAndGetOffsetAsync(one, source.Token) : handle.AppendAndGetOffset(one.Span)).ShouldBe(Before.Length));
        await EndAsync(() => CallAsync(() => handle.FlushToDiskAsync(source.Token), handle.FlushToDisk));
        await steps.EndAsync();
        byte[] all = File.ReadAllBytes(path);
        all.AsSpan().ContainsAnyExcept(Old, New).ShouldBeFalse("a foreign byte");
        all.Length.ShouldBeOneOf(Before.Length, Before.Length + 4500);
        intruder.Check();

        async Task CallAsync(Func<ValueTask> call, Action callNow)
        {
            if (isAsync)
            {
                await call();
            }
            else
            {
                callNow();
            }
        }

        async Task EndAsync(Func<Task> action)
        {
            try
            {
                await action();
            }
            catch (ObjectDisposedException) when (steps.HasStruck && !cancels)
            {
            }
            catch (OperationCanceledException e) when (source.IsCancellationRequested)
            {
                e.CancellationToken.ShouldBe(source.Token);
            }
        }
    });

    /// <summary>A number that is given up may be another file's a moment later: whatever is called with one holds it.</summary>
    /// <param name="call">The system call in which the handle is closed.</param>
    /// <param name="way">What makes that call.</param>
    [LinuxTheory]
    [InlineData("lseek", "SafeFileHandle")]
    [InlineData("posix_fadvise", "memory")]
    [InlineData("posix_fadvise", "address")]
    [InlineData("posix_fadvise", "list")]
    public async Task A_handle_that_is_closed_in_a_call_is_open_until_the_call_has_ended(string call, string way)
    {
        string path = Temp.NewFile(Before);

        // No RWF_DONTCACHE: the pages are dropped by a call of its own.
        SystemCallFaults.Use(static (name, _, _) => name == "preadv2" ? -Errno.EOPNOTSUPP : 0);
        using SluiceStream stream = new(path, new SluiceOptions { Access = FileAccess.ReadWrite, Caching = FileCaching.Uncached });
        SluiceHandle handle = stream.SluiceHandle;
        Skip.If(handle.Caching != FileCaching.Uncached, handle.CachingReason);
        handle.CanSeek.ShouldBeTrue();
        List<string> targets = [];
        SystemCallFaults.Use((name, fd, _) =>
        {
            if (name == call)
            {
                handle.Dispose();
                targets.Add(OpenFiles.NameOf(fd));
            }

            return 0;
        });
        byte[] bytes = GC.AllocateArray<byte>(4096, pinned: true);
        switch (way)
        {
            case "SafeFileHandle":
                _ = stream.SafeFileHandle;
                break;
            case "memory":
                await handle.WriteAsync(bytes, 0);
                break;
            case "address":
                await handle.WriteAsync((nint)Native.AddressOfPinned(bytes), (nuint)bytes.Length, 0);
                break;
            default:
                await handle.WriteAsync((ReadOnlyMemory<byte>[])[bytes.AsMemory(0, 100), bytes.AsMemory(100)], 0);
                break;
        }

        SystemCallFaults.Use(null);
        targets.ShouldHaveSingleItem().ShouldBe(path);
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public Task Stream(string engine, FileCaching caching, bool isAsync, bool cancels) => EveryStepAsync(async steps =>
    {
        string path = Temp.NewFile(Before);
        Intruder intruder = new(Temp);
        using CancellationTokenSource source = new();
        SluiceStream stream = new(path, new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Engine = Engine(engine),
            Caching = caching,
            BufferSize = 4096,
            Options = isAsync ? FileOptions.Asynchronous : FileOptions.None,
        });
        steps.Begin(() =>
        {
            (cancels ? source.Cancel : (Action)stream.Dispose)();
            intruder.Come();
        });
        try
        {
            byte[] piece = new byte[3000];
            for (int count = 0; count < 20_000;)
            {
                int got = isAsync ? await stream.ReadAsync(piece, source.Token) : stream.Read(piece);
                got.ShouldBeGreaterThan(0, "a false end");
                piece.AsSpan(0, got).ContainsAnyExcept(Old).ShouldBeFalse("a foreign byte");
                count += got;
            }

            piece.AsSpan().Fill(New);
            for (int i = 0; i < 6; i++)
            {
                if (isAsync)
                {
                    await stream.WriteAsync(piece, source.Token);
                }
                else
                {
                    stream.Write(piece);
                }
            }

            await (isAsync ? stream.FlushAsync(source.Token) : Task.Run(stream.Flush));
        }
        catch (ObjectDisposedException) when (steps.HasStruck && !cancels)
        {
        }
        catch (OperationCanceledException) when (source.IsCancellationRequested)
        {
        }

        await steps.EndAsync();
        await stream.DisposeAsync();
        byte[] all = File.ReadAllBytes(path);
        all.AsSpan().ContainsAnyExcept(Old, New).ShouldBeFalse("a foreign byte");
        all.Length.ShouldBe(Before.Length);
        intruder.Check();
    });
}
