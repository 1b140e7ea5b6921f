using System.Globalization;
using Sluice.Uring;

namespace Sluice.Log.Tests.Support;

/// <summary>A log with memory that outlives the process, in a process that is killed, by itself or by the test.</summary>
internal static class KeptProgram
{
    public const string WhyNot = "System V shared memory is Linux's.";

    /// <summary>Records of each kind of process but those that are killed at a system call.</summary>
    public const int RecordCount = 200;

    public static bool IsPossible => OperatingSystem.IsLinux();

    public static SluiceLogOptions Options => new()
    {
        Memory = LogMemory.Shared,
        MaxRecordBytes = 16 * 1024,
        BufferBytes = 128 * 1024,
        SegmentBytes = 1024 * 1024,

        // Nothing is written unless somebody asks, or a page is full.
        FlushInterval = TimeSpan.FromHours(1),
    };

    /// <param name="directory">Of the log.</param>
    /// <param name="kind">What it does before it is killed.</param>
    /// <param name="call">Before which system call, beginning with the log's opening; with "calls" alone.</param>
    public static int Run(string directory, string kind, int call)
    {
        if (kind == "calls")
        {
            AppendUntilCall(directory, call);
            return 0;
        }

        if (kind == "open")
        {
            using SluiceLog opened = SluiceLog.Open(directory);
            Console.WriteLine(opened.Restored);
            return 0;
        }

        SluiceLog log = SluiceLog.Open(directory, Options);
        switch (kind)
        {
            case "plain":
                Append(log, 0, RecordCount);
                break;
            case "tasks":
                Task.WaitAll([.. Enumerable.Range(0, RecordCount).Select(i => log.AppendAsync(Records.Make(0, i, 100)).AsTask())]);
                break;
            case "batches":
                for (int i = 0; i < RecordCount; i += 4)
                {
                    log.AppendBatch([.. Enumerable.Range(i, 4).Select(static n => (ReadOnlyMemory<byte>)Records.Make(0, n, 100))]);
                }

                break;
            case "reserved":
                for (int i = 0; i < RecordCount; i++)
                {
                    using LogReservation place = log.Reserve(100);
                    Records.Fill(place.Span, 0, i);
                    place.Commit();
                }

                break;
            case "holes":
                for (int i = 0; i < RecordCount; i++)
                {
                    // Places that nobody fills any more.
                    Thread gone = new(size => _ = log.Reserve((int)size!));
                    gone.Start(i);
                    gone.Join();
                    Append(log, i, 1);
                }

                break;
            case "dropped":
                Append(log, 0, RecordCount);
                log.TruncateAfter(RecordCount / 2);
                Append(log, RecordCount / 2, RecordCount / 2);
                break;
            case "empty":
                break;
            default:
                throw new ArgumentException(kind);
        }

        Console.WriteLine($"done {log.Memory} {log.MemoryReason}");
        Thread.Sleep(Timeout.Infinite);
        GC.KeepAlive(log);
        return 0;
    }

    /// <summary>What it appends is acknowledged line by line.</summary>
    private static void AppendUntilCall(string directory, int call)
    {
        int calls = 0;
        using Stream output = Console.OpenStandardOutput();
        SystemCallFaults.Use((_, _, _) =>
        {
            if (Interlocked.Increment(ref calls) > call)
            {
                System.Diagnostics.Process.GetCurrentProcess().Kill();
                Thread.Sleep(Timeout.Infinite);
            }

            return 0;
        });
        using (SluiceLog log = SluiceLog.Open(directory, Options))
        {
            for (int i = 0; i < 5; i++)
            {
                int number = (int)log.NextSequence - 1;
                long sequence = log.Append(Records.Make(0, number, 100));
                Say($"{sequence}");
            }
        }

        SystemCallFaults.Use(null);
        Say("closed");

        void Say(string line) => output.Write(System.Text.Encoding.ASCII.GetBytes(line + "\n"));
    }

    private static void Append(SluiceLog log, int first, int count)
    {
        for (int i = first; i < first + count; i++)
        {
            log.Append(Records.Make(0, i, 100));
        }
    }
}
