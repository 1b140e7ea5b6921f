using Sluice.Faults.Child.Support;

namespace Sluice.Log.Tests.Support;

/// <summary>A log with its usual segments, in a process whose files may have a mebibyte.</summary>
internal static class LimitedProgram
{
    public const int RecordCount = 20;

    private const int LimitFileSize = 1;

    public static int Run(string directory)
    {
        // What the runtime does for the first time may write files of its own.
        Use(Path.Combine(directory, "rehearsal"));
        Native.SetLimit(LimitFileSize, 1 << 20);
        Use(Path.Combine(directory, "log"));
        return 0;
    }

    private static void Use(string directory)
    {
        using SluiceLog log = SluiceLog.Open(directory);
        log.AppendMany(0, RecordCount, durability: LogDurability.Durable);
    }
}
