using Sluice.Uring;

namespace Sluice.Hostile.Tests.Ending;

/// <summary>
/// What reads from a FIFO waits for as long as nobody writes, and may be closed meanwhile. Closing does not wait for it; the read gets what
/// comes, or says that its object was closed; and no byte is another's.
/// </summary>
[Trait("Tier", "slow")]
public sealed class PipeEndingTests : HostileTests
{
    [SkippableTheory]
    [InlineData("handle", false)]
    [InlineData("handle", true)]
    [InlineData("stream", false)]
    [InlineData("stream", true)]
    [InlineData("unbuffered stream", false)]
    [InlineData("unbuffered stream", true)]
    [InlineData("reader", false)]
    [InlineData("reader", true)]
    public async Task Closed_beside_a_read_that_waits_or_while_the_bytes_come(string what, bool isAsync)
    {
        Skip.If(OperatingSystem.IsWindows(), "FIFOs");
        byte[] sent = Bytes.Pattern(40, 9);
        for (int round = 0; round < 4; round++)
        {
            bool writesFirst = round > 1;
            Accounts accounts = Accounts.Open(Temp.Root);
            string path = Temp.NewFifo();
            int received;
            Intruder intruder = new(Temp);
            using (FileStream keeper = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0))
            {
                (Func<byte[], Task<int>> read, Action close) = Open(path, what, isAsync);
                byte[] buffer = new byte[sent.Length];
                using ManualResetEventSlim isReading = new();
                SystemCallFaults.Use((call, _, _) =>
                {
                    if (call.Contains("read", StringComparison.OrdinalIgnoreCase))
                    {
                        isReading.Set();
                    }

                    return 0;
                });
                Task<int> reading = Task.Factory.StartNew(
                    () => read(buffer), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
                if (round % 2 > 0)
                {
                    isReading.Wait(Watchdog.Patience).ShouldBeTrue("nobody reads");
                }

                SystemCallFaults.Use(null);
                Task writing = writesFirst ? Task.Run(() => keeper.Write(sent)) : Task.CompletedTask;
                await Watchdog.EndsAsync(() => Task.Run(close), $"closing a {what}");
                intruder.Come();
                await writing;
                if (!writesFirst)
                {
                    keeper.Write(sent);
                }

                try
                {
                    received = await reading.WaitAsync(Watchdog.Patience);
                    received.ShouldBeGreaterThan(0, "a false end");
                    buffer.AsSpan(0, received).ToArray().ShouldBeBytes(sent.AsSpan(0, received));
                }
                catch (ObjectDisposedException)
                {
                    // It may have taken bytes with it, as everything that is buffered does.
                }
            }

            intruder.Check();
            await accounts.CloseAsync($"{what}, round {round}");
        }
    }

    private static (Func<byte[], Task<int>> Read, Action Close) Open(string path, string what, bool isAsync)
    {
        FileOptions options = isAsync ? FileOptions.Asynchronous : FileOptions.None;
        switch (what)
        {
            case "handle":
                SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
                {
                    Share = FileShare.ReadWrite,
                    Options = options,
                });
                return (async b => isAsync ? await handle.ReadAsync(b, 0) : handle.Read(b, 0), handle.Dispose);
            case "reader":
                SluiceReader reader = new(path);
                return (async b =>
                {
                    ReadOnlyMemory<byte> block = isAsync ? await reader.ReadBlockAsync()
                        : reader.TryReadBlock(out ReadOnlySpan<byte> next) ? next.ToArray() : default;
                    block.CopyTo(b);
                    return block.Length;
                }, reader.Dispose);
            default:
                SluiceStream stream = new(path, new SluiceOptions
                {
                    Share = FileShare.ReadWrite,
                    Options = options,
                    BufferSize = what == "stream" ? 4096 : 0,
                });
                return (async b => isAsync ? await stream.ReadAsync(b) : stream.Read(b), stream.Dispose);
        }
    }
}
