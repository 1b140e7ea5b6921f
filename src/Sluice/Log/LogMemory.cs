namespace Sluice;

/// <summary>Specifies the memory in which a framed log holds records until they are written to the files.</summary>
public enum LogMemory
{
    /// <summary>
    /// Memory of the process. Records that have not been written yet are lost if the process ends without disposing the log.
    /// </summary>
    Process = 0,

    /// <summary>
    /// Memory of the kernel that outlives the process: System V shared memory (shmget(2)), on Linux only. A record in this memory has
    /// the durability <see cref="LogDurability.Written"/>: the next <see cref="SluiceLog.Open"/> of the log finds it and writes it to
    /// the files.
    /// </summary>
    /// <remarks>
    /// <para>
    /// The memory is lost when the machine stops or when its IPC namespace ends. A container usually has an IPC namespace of its own;
    /// the containers of a Kubernetes pod share one, which outlives each of them.
    /// </para>
    /// <para>
    /// If a process ends during an append, and later records were appended as well, the sequence number of the unfinished record
    /// remains unused, and readers skip it.
    /// </para>
    /// </remarks>
    Shared = 1,
}
