namespace Sluice;

/// <summary>How a log's files look.</summary>
public enum LogFormat
{
    /// <summary>
    /// Records with sequences, times and sums, in files "0000000001.slog" and so on: docs/log-format.md. Read by
    /// <see cref="SluiceLogReader"/>.
    /// </summary>
    Framed = 0,

    /// <summary>
    /// The bytes as they were given, one record behind another, in files "0000000001.log" and so on: for text. Several processes may append
    /// to the same folder. Nothing is checked or cut when it is opened: of what a process was writing when it was killed, or the disk was
    /// full, a part may stand there, and the next record, another process's too, right behind it.
    /// </summary>
    Raw = 1,
}

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

/// <summary>Which memory a framed log gathers records in.</summary>
public enum LogMemory
{
    /// <summary>The process's own: records that are not written are lost with it.</summary>
    Process = 0,

    /// <summary>
    /// Memory of the kernel that outlives the process, on Linux (System V shared memory). A record that was copied there is
    /// <see cref="LogDurability.Written"/>: whoever opens the log next finds it, and writes it to the files. It is lost where the machine,
    /// or the IPC namespace, ends: that of a container does with it, that of a Kubernetes pod does not with one of its containers. Where a
    /// process ends in the midst of an append whose number is not the last one, that number is no record's for good, and readers pass over
    /// it.
    /// </summary>
    Shared = 1,
}
