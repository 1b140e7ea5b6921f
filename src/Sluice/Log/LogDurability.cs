namespace Sluice;

/// <summary>What an acknowledged record survives.</summary>
public enum LogDurability
{
    /// <summary>It is in the log's memory: it is lost if the process ends without <see cref="SluiceLog.Dispose"/>.</summary>
    Buffered = 0,

    /// <summary>The operating system has it, in the file or in <see cref="LogMemory.Shared"/> memory: it survives the process, and not a
    /// power cut.</summary>
    Written = 1,

    /// <summary>It is on the disk: it survives a power cut.</summary>
    Durable = 2,
}
