using Sluice.Log.Folders;
using Sluice.Tests.Shared;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>After a failed sync a log acknowledges nothing more; the folder is opened again.</summary>
[Collection(nameof(AloneCollection))]
public sealed class FailedSyncTests : IDisposable
{
    public void Dispose() => SystemCallFaults.Use(null);

    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public async Task Nothing_is_acknowledged_behind_it_and_the_folder_can_be_opened_again(LogFormat format)
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        SluiceLogOptions options = new() { Engine = engine, Format = format, Preallocate = false };
        SluiceLog log = folder.Open(options);
        log.Append("1\n"u8, LogDurability.Durable);
        log.Append("2\n"u8, LogDurability.Written);
        log.Failure.ShouldBeNull();
        engine.FailingFlushes = 1;
        ShouldFail(() => log.Append("3\n"u8, LogDurability.Durable));
        log.Failure.ShouldNotBeNull().HResult.ShouldBe(FailingEngine.EIO);
        foreach (LogDurability durability in Enum.GetValues<LogDurability>())
        {
            ShouldFail(() => log.Append("4\n"u8, durability));
            await Should.ThrowAsync<IOException>(async () => await log.AppendAsync("4\n"u8.ToArray(), durability));
        }

        ShouldFail(() => log.Flush());
        await Should.ThrowAsync<IOException>(async () => await log.FlushAsync());
        await Should.ThrowAsync<IOException>(async () => await log.WaitDurableAsync(2));
        (log.DurableSequence, log.WrittenSequence, engine.FailingFlushes).ShouldBe((1, 3, 0));
        ShouldFail(log.Dispose);
        using (SluiceLog again = folder.Open(options))
        {
            again.Append("5\n"u8, LogDurability.Durable);
        }

        string[] lines = format == LogFormat.Raw ? [.. folder.Files.SelectMany(File.ReadAllLines)]
            : [.. folder.ReadAll().Select(static r => System.Text.Encoding.UTF8.GetString(r.Bytes).TrimEnd())];
        lines.ShouldBe(["1", "2", "3", "5"]);

        static void ShouldFail(Action action) => Should.Throw<IOException>(action).HResult.ShouldBe(FailingEngine.EIO);
    }

    /// <summary>Threads that wait for that sync, or come for the next one.</summary>
    [Fact]
    public void All_who_wait_are_told()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        SluiceLog log = folder.Open(new SluiceLogOptions { Engine = engine, Preallocate = false });
        int acknowledged = 0;
        int failed = 0;
        Thread[] threads = Threads.Start(8, t =>
        {
            try
            {
                while (true)
                {
                    log.Append(Records.Make(t, 0, 50), LogDurability.Durable);
                    Interlocked.Increment(ref acknowledged);
                }
            }
            catch (IOException)
            {
                Interlocked.Increment(ref failed);
            }
        });
        Threads.WaitUntil(() => Volatile.Read(ref acknowledged) > 100);
        engine.FailingFlushes = 1;
        threads.JoinInTime();
        failed.ShouldBe(threads.Length);
        long durable = log.DurableSequence;
        Should.Throw<IOException>(log.Dispose);
        using SluiceLog again = folder.Open();
        again.NextSequence.ShouldBeGreaterThan(durable);
    }

    /// <summary>The flush of log.state before a footer, and that of a full segment.</summary>
    [SkippableTheory]
    [InlineData(LogFolder.StateName)]
    [InlineData("0000000001.slog")]
    public void A_sync_by_the_keeper_counts(string name)
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        SluiceLog log = folder.Open(SmallLog.Options);
        log.Append(Records.Make(0, 0, 900));
        SystemCallFaults.Use((call, fd, _) => call == "fsync" && OpenFiles.NameOf(fd).EndsWith("/" + name, StringComparison.Ordinal) ? -FailingEngine.EIO : 0);
        IOException? error = null;
        Threads.WaitUntil(() => (error = Record.Exception(() => log.Append(Records.Make(0, 1, 900))) as IOException) is not null);
        error!.Message.ShouldContain(name);
        log.Failure.ShouldNotBeNull();
        Should.Throw<IOException>(log.Dispose);
        SystemCallFaults.Use(null);
        folder.Open().Dispose();
    }
}
