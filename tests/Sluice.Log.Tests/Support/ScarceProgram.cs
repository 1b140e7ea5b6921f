using Sluice.Faults.Child.Support;

namespace Sluice.Log.Tests.Support;

/// <summary>
/// Opens logs with no descriptor left, with one, with two and so on: each is refused, or works whole. A thread needs descriptors too while
/// it starts.
/// </summary>
internal static class ScarceProgram
{
    private const int LimitNoFile = 7;
    private const int Most = 24;

    private static readonly byte[] Record = Records.Make(1, 2, 300);

    public static int Run(string directory, LogFormat format)
    {
        // What the runtime opens for the first time: assemblies, threads of the pool.
        (string? refusal, int acknowledged) = Use(Path.Combine(directory, "rehearsal"), format);
        Console.WriteLine($"rehearsal {acknowledged} {refusal}");
        Native.SetLimit(LimitNoFile, 256);
        for (int left = 0; left <= Most; left++)
        {
            string path = Path.Combine(directory, $"{left}");
            List<int> taken = [];
            for (int fd = Native.OpenNull(); fd >= 0; fd = Native.OpenNull())
            {
                taken.Add(fd);
            }

            Give(taken, left);
            (refusal, acknowledged) = Use(path, format);
            Give(taken, taken.Count);

            // Whatever became of it, nobody holds the log, and what was acknowledged is there.
            using (SluiceLog again = SluiceLog.Open(path, new SluiceLogOptions { Format = format }))
            {
                if (format == LogFormat.Framed && again.NextSequence <= acknowledged)
                {
                    Console.Error.WriteLine($"{left} left: {acknowledged} were acknowledged, and {again.NextSequence} comes next");
                    return 1;
                }

                again.Append(Record, LogDurability.Durable);
            }

            Console.WriteLine($"{left} {acknowledged} {refusal}");
        }

        return 0;
    }

    /// <summary>What opening said where it was refused, and how many records were acknowledged.</summary>
    private static (string? Refusal, int Acknowledged) Use(string path, LogFormat format)
    {
        SluiceLog log;
        try
        {
            log = SluiceLog.Open(path, new SluiceLogOptions { Format = format });
        }
        catch (Exception e) when (e is IOException or OutOfMemoryException)
        {
            return (e.Message, 0);
        }

        int acknowledged = 0;
        try
        {
            log.Append(Record, LogDurability.Written);
            acknowledged++;
            log.AppendAsync(Record, LogDurability.Durable).AsTask().Wait();
            acknowledged++;
            log.AppendAsync(Record, LogDurability.Written).AsTask().Wait();
            acknowledged++;
            log.Append(Record, LogDurability.Buffered);
            log.Flush();
            acknowledged++;
            log.Dispose();
        }
        catch (Exception e) when (e is IOException or AggregateException { InnerException: IOException })
        {
            Console.Error.WriteLine($"after {acknowledged}: {e.Message}");
        }

        return (null, acknowledged);
    }

    private static void Give(List<int> taken, int count)
    {
        for (int i = 0; i < count && taken.Count > 0; i++)
        {
            Native.Close(taken[^1]);
            taken.RemoveAt(taken.Count - 1);
        }
    }
}
