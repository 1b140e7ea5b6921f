using System.Diagnostics;
using Sluice.Log.Frames;
using Sluice.Uring;

namespace Sluice.Log.Tests.Support;

/// <summary>A process that cannot drop a tail, nor undo what it did for that, and is killed then.</summary>
internal static class LeftoverProgram
{
    /// <summary>How many records were to stay.</summary>
    public const int Kept = 3;

    private const int EIO = 5;

    public static SluiceLogOptions Options => new()
    {
        SegmentBytes = 4096,
        MaxRecordBytes = 1000,
        BufferBytes = 4000,
        Preallocate = false,
    };

    /// <param name="directory">Of the log.</param>
    /// <param name="refused">The calls that fail from the first flush of the segment on that was to drop the tail.</param>
    public static int Run(string directory, string refused)
    {
        SluiceLog log = SluiceLog.Open(directory, Options);
        Append(log, LogDurability.Durable, 0, 10);
        Console.WriteLine(log.DurableSequence);
        string[] calls = refused.Split(',');
        string next = Path.Combine(directory, "0000000002.slog");
        byte[] left = [];
        bool isRefusing = false;
        SystemCallFaults.Use((call, fd, _) =>
        {
            bool isFlush = IsFlush(call, fd, "0000000002.slog");
            if (isFlush && !isRefusing)
            {
                left = File.ReadAllBytes(next);
                isRefusing = true;
            }

            return isFlush || (isRefusing && calls.Contains(call)) ? -EIO : 0;
        });
        try
        {
            log.TruncateAfter(Kept);
        }
        catch (IOException e)
        {
            Console.WriteLine(e.GetType().Name);
        }

        // No seam is in what empties it: it is as it would be if that had failed.
        File.WriteAllBytes(next, left);
        Console.Out.Flush();
        Process.GetCurrentProcess().Kill();
        GC.KeepAlive(log);
        return 0;
    }

    public static void Append(SluiceLog log, LogDurability durability, int first, int end)
    {
        for (int i = first; i < end; i++)
        {
            log.Append(Records.Make(0, i, 100), durability);
        }
    }

    /// <summary>Whether a call flushes a segment that has begun; its header is flushed when it is made.</summary>
    public static bool IsFlush(string call, int fd, string name) =>
        call == "fsync"
        && File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false)?.FullName is { } path
        && Path.GetFileName(path) == name
        && new FileInfo(path).Length > LogLayout.HeaderBytes;
}
