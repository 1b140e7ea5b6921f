using System.Buffers.Binary;
using System.Diagnostics;
using Sluice.Cli.Load;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Log;

/// <summary>The result of a load test of a log.</summary>
/// <param name="Latency">The latencies of the appends.</param>
/// <param name="Bytes">The size of all acknowledged records.</param>
/// <param name="Seconds">The time from the first append until the log was closed.</param>
/// <param name="CpuSeconds">The CPU time of the whole process during that time.</param>
/// <param name="Segments">The number of segment files at the end.</param>
/// <param name="Checked">The number of records that were read back and compared completely.</param>
/// <param name="Missing">The number of acknowledged records that the log does not contain unchanged.</param>
/// <param name="Unexpected">The number of records that are changed, duplicated, or out of the order of their thread.</param>
internal sealed record LogLoadResult(
    LatencyHistogram Latency, long Bytes, double Seconds, double CpuSeconds, int Segments, long Checked, long Missing,
    long Unexpected, bool IsInterrupted)
{
    /// <summary>Returns descriptions of the defects of the log; none if it contains all acknowledged records.</summary>
    public IEnumerable<string> Wrong()
    {
        if (Missing > 0)
            yield return $"not in the log, though acknowledged: {Counted.Of(Missing, "record")}";
        if (Unexpected > 0)
            yield return $"doubled in the log, out of their order or changed: {Counted.Of(Unexpected, "record")}";
    }
}

/// <summary>A load test: threads append records to one log at a rate, and every record is read back at the end.</summary>
/// <param name="BytesPerSecond">The number of bytes per second for each thread; 0 for no limit.</param>
internal sealed record LogLoad(
    int Threads = 100, long BytesPerSecond = 2 * ByteSize.MiB, int RecordBytes = 200, long SegmentBytes = 256 * ByteSize.MiB,
    int Seconds = 30, LogDurability Durability = LogDurability.Written)
{
    /// <summary>The minimum size of a record: the number of the thread, the number of the record, and bytes derived from both.</summary>
    public const int MinRecordBytes = 20;

    /// <summary>The size of the requested records, in bytes; 0 if the rate is not limited.</summary>
    public long BytesAskedFor => (long)Math.Min((decimal)BytesPerSecond * Threads * Seconds, long.MaxValue);

    /// <param name="directory">The folder of the log.</param>
    /// <param name="show">Shows the progress line.</param>
    /// <param name="cancellationToken">The token that ends the test early.</param>
    public LogLoadResult Run(string directory, Action<Func<string>> show, CancellationToken cancellationToken)
    {
        var latency = new LatencyHistogram();
        bool isInterrupted;
        long[] appended = new long[Threads];
        double cpu;
        long began;
        using (SluiceLog log = SluiceLog.Open(directory, new SluiceLogOptions
        {
            Durability = Durability,
            SegmentBytes = SegmentBytes,
        }))
        {
            cpu = Environment.CpuUsage.TotalTime.TotalSeconds;
            began = Stopwatch.GetTimestamp();
            show(() => Line(latency, began));
            AppendAll(log, latency, appended, began, cancellationToken);
            isInterrupted = cancellationToken.IsCancellationRequested;
        }

        double seconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        cpu = Environment.CpuUsage.TotalTime.TotalSeconds - cpu;
        show(static () => "reading back");
        (long found, long missing, long unexpected) = Check(directory, appended);
        return new LogLoadResult(
            latency, appended.Sum() * RecordBytes, seconds, cpu, Directory.GetFiles(directory, "*.slog").Length, found, missing, unexpected,
            isInterrupted);
    }

    internal static void Fill(Span<byte> record, int thread, long number)
    {
        BinaryPrimitives.WriteInt64LittleEndian(record, thread);
        BinaryPrimitives.WriteInt64LittleEndian(record[8..], number);
        record[16..].Fill((byte)(thread + number));
    }

    private void AppendAll(
        SluiceLog log, LatencyHistogram latency, long[] appended, long began, CancellationToken cancellationToken)
    {
        Exception? failure = null;
        Thread[] threads = new Thread[Threads];
        for (int t = 0; t < Threads; t++)
        {
            int id = t;
            threads[t] = new Thread(() =>
            {
                try
                {
                    Append(log, latency, id, appended, began, IsOver);
                }
                catch (Exception e)
                {
                    Interlocked.CompareExchange(ref failure, e, null);
                }
            })
            { IsBackground = true };
            threads[t].Start();
        }

        foreach (Thread thread in threads)
            thread.Join();
        if (failure is not null)
            throw new IOException(failure.Message, failure);

        bool IsOver() => cancellationToken.IsCancellationRequested || Volatile.Read(ref failure) is not null;
    }

    private void Append(SluiceLog log, LatencyHistogram latency, int thread, long[] appended, long began, Func<bool> isOver)
    {
        byte[] record = new byte[RecordBytes];
        long number = 0;
        while (!isOver())
        {
            double elapsed = Stopwatch.GetElapsedTime(began).TotalSeconds;
            if (elapsed >= Seconds)
                return;
            if (BytesPerSecond > 0 && number * RecordBytes >= elapsed * BytesPerSecond)
            {
                Thread.Sleep(1);
                continue;
            }

            Fill(record, thread, number);
            long start = Stopwatch.GetTimestamp();
            log.Append(record);
            latency.Record((long)Stopwatch.GetElapsedTime(start).TotalNanoseconds);
            Volatile.Write(ref appended[thread], ++number);
        }
    }

    private string Line(LatencyHistogram latency, long began)
    {
        double seconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        return $"{seconds:0} of {Seconds} s, {ByteSize.Format((long)(latency.Count * RecordBytes / Math.Max(seconds, 0.001)))}/s, "
            + $"p99.9 {latency.Percentile(99.9) / 1000.0:#,0.#} us, longest {latency.MaxNanoseconds / 1000.0:#,0.#} us";
    }

    /// <summary>Reads the log and compares its records with those that were appended.</summary>
    /// <param name="directory">The folder of the log.</param>
    /// <param name="appended">The number of acknowledged records of each thread.</param>
    internal (long Found, long Missing, long Unexpected) Check(string directory, long[] appended)
    {
        long[] next = new long[Threads];
        byte[] expected = new byte[RecordBytes];
        long found = 0;
        long missing = 0;
        long unexpected = 0;
        using var reader = new SluiceLogReader(directory);
        foreach (LogEntry entry in reader.Entries)
        {
            found++;
            long number = -1;
            int thread = -1;
            if (entry.Bytes.Length == RecordBytes
                && BinaryPrimitives.ReadInt64LittleEndian(entry.Bytes) is var id && id >= 0 && id < Threads)
            {
                thread = (int)id;
                number = BinaryPrimitives.ReadInt64LittleEndian(entry.Bytes[8..]);
                Fill(expected, thread, number);
            }

            if (thread < 0 || number < next[thread] || number > appended[thread] || !entry.Bytes.SequenceEqual(expected))
            {
                unexpected++;
                continue;
            }

            missing += number - next[thread];
            next[thread] = number + 1;
        }

        return (found, missing + appended.Zip(next, static (a, n) => Math.Max(0, a - n)).Sum(), unexpected);
    }
}
