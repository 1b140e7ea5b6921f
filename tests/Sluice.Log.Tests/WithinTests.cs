using System.Runtime.ExceptionServices;

namespace Sluice.Log.Tests;

/// <summary>
/// A program that logs each exception where it is thrown (AppDomain.FirstChanceException) does so in the midst of an append that fails, on
/// its thread.
/// </summary>
public sealed class WithinTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public void Another_log_takes_what_comes_from_within_an_append_that_fails(LogDurability durability)
    {
        using TempFolder folder = new();
        string errors = Path.Combine(folder.Root, "errors");
        FailingEngine engine = new();
        SluiceLog? other = null;
        RunBeside(folder.Log, engine, () => other!.Append(Records.Make(7, 0, 30), durability), () =>
        {
            using (other = SluiceLog.Open(errors))
            using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Engine = engine }))
            {
                engine.WriteErrno = FailingEngine.ENOSPC;
                Should.Throw<IOException>(() => log.Append(Records.Make(1, 0, 50), durability));
                engine.WriteErrno = 0;
                log.Append(Records.Make(1, 1, 50), durability);
            }
        });
        Records.ReadAll(folder.Log).Select(static r => Records.Check(r.Bytes)).ShouldBe([(1, 1)]);
        Records.ReadAll(errors).ShouldNotBeEmpty();
    }

    [Theory]
    [InlineData(LogDurability.Written, false)]
    [InlineData(LogDurability.Durable, false)]
    [InlineData(LogDurability.Written, true)]
    [InlineData(LogDurability.Durable, true)]
    public void What_would_wait_for_the_log_from_within_its_work_is_refused_and_holds_nobody_up(LogDurability durability, bool onItsThread)
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        SluiceLog? log = null;
        List<Exception?> refusals = [];
        RunBeside(
            folder.Log,
            engine,
            () =>
            {
                lock (refusals)
                {
                    refusals.Add(Record.Exception(() => log!.Append(Records.Make(8, 0, 30), durability)));
                    refusals.Add(Record.Exception(() => log!.Append(Records.Make(8, 1, 30), LogDurability.Durable)));
                    refusals.Add(Record.Exception(() => log!.AppendBatch([Records.Make(8, 2, 30)], durability)));
                    refusals.Add(Record.Exception(() => Commit(log!, Records.Make(8, 3, 30), durability)));
                    refusals.Add(Record.Exception(() => log!.Flush(durability)));
                    refusals.Add(Record.Exception(() => log!.TruncateAfter(0)));
                    refusals.Add(Record.Exception(() => log!.Dispose()));
                }

                log!.Append(Records.Make(7, 0, 30), LogDurability.Buffered);
            },
            () =>
            {
                using (log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Engine = engine }))
                {
                    engine.WriteErrno = FailingEngine.ENOSPC;
                    _ = Should.Throw<IOException>(() => Append(log, Records.Make(1, 0, 50), durability, onItsThread));
                    engine.WriteErrno = 0;
                    Append(log, Records.Make(1, 1, 50), durability, onItsThread);
                }
            });
        refusals.ShouldNotBeEmpty();
        refusals.ShouldAllBe(static e => e is IOException);
        (int Thread, int Number)[] records = [.. Records.ReadAll(folder.Log).Select(static r => Records.Check(r.Bytes))];
        records.Where(static r => r.Thread == 1).ShouldBe([(1, 1)]);
        records.ShouldContain((7, 0));
        records.ShouldNotContain(static r => r.Thread == 8);
    }

    private static void Commit(SluiceLog log, byte[] record, LogDurability durability)
    {
        LogReservation place = log.Reserve(record.Length);
        record.CopyTo(place.Span);
        _ = place.Commit(durability);
    }

    private static void Append(SluiceLog log, byte[] record, LogDurability durability, bool onItsThread)
    {
        if (onItsThread)
        {
            log.AppendAsync(record, durability).AsTask().GetAwaiter().GetResult();
        }
        else
        {
            log.Append(record, durability);
        }
    }

    /// <summary>Does something on a thread of its own; its first failed write to the log's files is told where it is thrown.</summary>
    private static void RunBeside(string path, FailingEngine engine, Action told, Action action)
    {
        int isTold = 0;
        Exception? error = null;
        void Tell(object? sender, FirstChanceExceptionEventArgs e)
        {
            bool isMeant = engine.WriteErrno != 0
                && e.Exception is IOException
                && e.Exception.Message.Contains(path, StringComparison.Ordinal);
            if (isMeant && Interlocked.Exchange(ref isTold, 1) == 0)
            {
                told();
            }
        }

        Thread thread = new(() => error = Record.Exception(action)) { IsBackground = true };
        AppDomain.CurrentDomain.FirstChanceException += Tell;
        try
        {
            thread.Start();
            thread.Join(Patience).ShouldBeTrue("the appends have not ended");
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= Tell;
        }

        error.ShouldBeNull();
    }
}
